"""Upload a file, and download another one."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        page.set_input_files("#file", __file__)
        uploaded = page.locator("#uploaded").text()
        with page.expect_download() as download:
            page.click("text=Report")
        return [uploaded, download.value.path().read_text()]
