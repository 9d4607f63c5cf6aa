"""Help that lists methods and settings, read from the code when it is asked for."""

from typing import Any

from typer.core import TyperCommand


class MethodHelp(TyperCommand):
    """A command whose help ends with all methods and the settings of the default."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the usual help, then the two lists."""
        super().format_help(ctx, formatter)
        from rich.console import Console
        from rich.markup import escape

        from pingda.methods.registry import METHODS
        from pingda.methods.settings import describe_values, keys_of

        console = Console()
        methods = _table("Methods (-m)")
        for name, method in METHODS.items():
            methods.add_row(name, method.title)
        settings = _table("Settings of pingda (--set KEY=VALUE), [default]")
        chosen = METHODS["pingda"].settings_class
        for key, field in keys_of(chosen):
            values = escape(describe_values(field))
            if key == "profile":
                values = f"{', '.join(chosen.PROFILES)} {values}"
            settings.add_row(key, values, field.description or "")
        for table in (methods, settings):
            console.print(table)


def _table(title: str) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_header=False, box=None)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_column()
    return table
