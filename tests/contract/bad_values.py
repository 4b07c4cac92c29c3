import math

from shoal.algorithms.parameters import NumberOrWord, OneOf, Within


def bad_values(rule):
    """Some values that a rule must refuse."""
    if isinstance(rule, OneOf):
        return ("", f"not {rule.choices[0]}", rule.choices[0].upper(), 0, True, None)
    if isinstance(rule, Within):
        too_large = () if rule.most == math.inf else (rule.most + 1,)
        return (rule.least - 1, *too_large, math.nan, str(rule.least), True, None)
    if isinstance(rule, NumberOrWord):
        return (*bad_values(rule.number), *(bad for bad in bad_values(rule.word) if isinstance(bad, str)))
    return (0, 1, "true", "no", None)
