"""Noise on graphs: learned, random or none, all of one protocol and composable."""

from pingda.noise.base import Compose as Compose
from pingda.noise.base import Draw as Draw
from pingda.noise.base import Noise as Noise
from pingda.noise.edge import EdgeNoise as EdgeNoise
from pingda.noise.feature import FeatureNoise as FeatureNoise
from pingda.noise.mask import ColumnMask as ColumnMask
from pingda.noise.random import EdgeDrop as EdgeDrop
from pingda.noise.random import FeatureMask as FeatureMask
