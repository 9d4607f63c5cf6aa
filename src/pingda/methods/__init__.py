"""One method a file: which views, which loss, who learns."""

from pingda.methods.base import Method as Method
from pingda.methods.base import Update as Update
from pingda.methods.registry import METHODS as METHODS
from pingda.methods.registry import method_class as method_class
