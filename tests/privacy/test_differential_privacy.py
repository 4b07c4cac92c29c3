import pytest

from shoal.errors import CannotVerify, InvalidParameter
from shoal.privacy.differential_privacy import DifferentialPrivacy
from shoal.table.roles import Quasi
from tests.builders import local_data


def test_no_file_can_show_it_and_the_answer_says_what_to_do():
    data = local_data([("30",)], {"age": Quasi()})
    with pytest.raises(CannotVerify, match=r"cannot be checked from a file.*certificate"):
        DifferentialPrivacy(1).verify(data)
    assert DifferentialPrivacy(0.5).claim(data) == "was made with differential privacy, epsilon=0.5"


@pytest.mark.parametrize("epsilon", [0, -1, float("inf"), True, "1"])
def test_epsilon_is_a_number_above_0(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon must be a number above 0, got"):
        DifferentialPrivacy(epsilon)
