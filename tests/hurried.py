"""A clock that says when time is up by how often it was asked."""

from shoal.progress import Silent


class UpAfter(Silent):
    """The time is up after so many questions; `more` are those asked since."""

    def __init__(self, questions):
        super().__init__()
        self.left, self.more = questions, 0

    def expired(self, share=1.0):  # noqa: ARG002
        if self.left:
            self.left -= 1
            return False
        self.more += 1
        return True
