"""``python -m pingda`` is the command ``pingda``."""

from pingda.cli.main import main

if __name__ == "__main__":
    main()
