import torch
from torch import nn

from pingda.nn.activation import SharedPReLU


def test_it_is_pytorchs_prelu_in_value_and_gradient() -> None:
    torch.manual_seed(0)
    x = torch.randn(7, 5, dtype=torch.float64)
    ours, theirs = SharedPReLU().double(), nn.PReLU().double()
    for slope in (0.25, 0.0, 1.5):
        results = []
        for module in (ours, theirs):
            leaf = x.clone().requires_grad_()
            (parameter,) = module.parameters()
            nn.init.constant_(parameter, slope)
            parameter.grad = None
            value = module(leaf)
            (value * x.cos()).sum().backward()
            results.append((value.detach(), leaf.grad, parameter.grad))
        torch.testing.assert_close(results[0], results[1], rtol=1e-12, atol=1e-12)
