import sys

from tests.campaign.driver import main

if __name__ == "__main__":
    sys.exit(main())
