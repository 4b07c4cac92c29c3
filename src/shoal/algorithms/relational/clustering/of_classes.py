"""The models that bound every class of a table, which all clusterings keep."""

from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import Model
from shoal.privacy.t_closeness import TCloseness

OF_CLASSES: tuple[type[Model], ...] = (KAnonymity, LDiversity, TCloseness, AlphaKAnonymity)

# What a class keeps or not whatever the rest of the table is.
OF_CLASSES_ALONE: tuple[type[Model], ...] = (KAnonymity, LDiversity, AlphaKAnonymity)
