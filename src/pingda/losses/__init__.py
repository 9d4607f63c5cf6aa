"""Losses: one a file, a pure function and a module round it."""

from pingda.losses.infonce import InfoNCE as InfoNCE
from pingda.losses.infonce import info_nce as info_nce
from pingda.losses.infonce import sampled_info_nce as sampled_info_nce
