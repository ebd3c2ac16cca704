"""Log in, and read the greeting."""

from stillframe import Click, SetValue
from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        actions = [SetValue("#user", "ann"), SetValue("#password", "lantern"), Click("text=Log in")]
        page.execute_sequence(actions, check=True)
        return page.locator("#greeting").text()
