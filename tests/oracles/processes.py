"""What the tests of several processes run in each of them."""

import json
import os
import sys
from pathlib import Path

import torch

from pingda import processes
from pingda.cli.main import main
from pingda.losses import similarity
from pingda.losses.infonce import InfoNCE, info_nce
from pingda.training import loop


def losses(name: str) -> None:
    """Write losses and gradients; rows that belong to a process are gathered."""
    similarity._block_rows = lambda length, _most: max(1, -(-length // 5))
    generator = torch.Generator().manual_seed(0)
    p, q = (torch.randn(40, 6, generator=generator).double() for _ in range(2))
    found = {}
    with processes.joined():
        for key in ("full", "sampled", "minibatch", "one-sided", "gathered"):
            a, b = p.clone().requires_grad_(), q.clone().requires_grad_()
            draws = torch.Generator().manual_seed(1)
            if key == "gathered":
                mine = slice(processes.rank() * 20, (processes.rank() + 1) * 20)
                if processes.count() == 1:
                    mine = slice(0, 40)
                sides = (processes.gather(side[mine]) for side in (a, b))
                loss = info_nce(*sides, 0.3)
            elif key == "one-sided":
                loss = info_nce(a, b, 0.3, symmetric=False)
            else:
                loss = InfoNCE(0.3, negatives=key, samples=8)(a, b, draws)
            loss.backward()
            if key == "gathered":
                processes.add_up(a.grad, b.grad)
            found[f"{key} loss"] = float(loss.detach())
            found[f"{key} p"], found[f"{key} q"] = a.grad.tolist(), b.grad.tolist()
    if processes.is_first():
        Path(f"{name}.json").write_text(json.dumps(found))


def die_on_the_way(words: list[str]) -> None:
    """Run the command, but let the second process vanish in its 20th epoch."""
    step, seen = loop._step, []

    def mortal(*arguments):
        seen.append(1)
        if len(seen) == 20 and os.environ["RANK"] == "1":
            os._exit(9)
        return step(*arguments)

    loop._step = mortal
    sys.argv = ["pingda", *words]
    main()


if __name__ == "__main__":
    if sys.argv[1] == "dies":
        die_on_the_way(sys.argv[2:])
    else:
        losses(sys.argv[1])
