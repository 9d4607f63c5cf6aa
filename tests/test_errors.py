from pingda.errors import did_you_mean


def test_the_nearest_name_is_offered() -> None:
    assert did_you_mean("epoch", ["epochs", "lr"]) == " (did you mean 'epochs'?)"


def test_nothing_is_offered_where_nothing_is_near() -> None:
    assert did_you_mean("zzzz", ["epochs", "lr"]) == ""
