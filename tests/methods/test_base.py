import torch

from pingda.methods import METHODS, Update


def test_an_update_names_all_learners_unless_told() -> None:
    assert Update(torch.zeros(())).learners == ()


def test_every_method_says_what_it_is() -> None:
    for name, method in METHODS.items():
        assert method.title, name
        assert method.settings_class.PROFILES, name
