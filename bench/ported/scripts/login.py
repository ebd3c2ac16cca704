"""Log in once, keep the state, and come back with it."""

import json
import re
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright, expect


class LoginPage:
    def __init__(self, page: Page):
        self.page = page
        self.user = page.get_by_label("User")
        self.password = page.get_by_label("Password")
        self.submit = page.get_by_role("button", name="Log in")
        self.error = page.get_by_role("alert")

    async def open(self):
        await self.page.goto("/login")

    async def log_in(self, user: str, password: str):
        await self.user.fill(user)
        await self.password.fill(password)
        await self.submit.click()


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        context = await browser.new_context(base_url=url)
        login = LoginPage(await context.new_page())
        await login.open()
        await login.log_in("ann", "wrong")
        await expect(login.error).to_have_text("Wrong user or password")
        await expect(login.page).to_have_url(re.compile(r"/login$"))
        await login.log_in("ann", "lantern")
        await login.page.wait_for_url("**/account")
        await expect(login.page.get_by_role("heading")).to_have_text("Hello, Ann")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "state.json"
            await context.storage_state(path=path)
            kept = json.loads(path.read_text())
            await context.close()
            again = await browser.new_context(base_url=url, storage_state=path)
        page = await again.new_page()
        await page.goto("/account")
        orders = await page.locator("tbody tr").all_inner_texts()
        me = await (await again.request.get("/api/me")).json()
        await page.get_by_role("link", name="Log out").click()
        await expect(page).to_have_title("Log in")
        nobody = await page.request.get("/api/me")
        await browser.close()
    return [[c["name"] for c in kept["cookies"]], [row.split() for row in orders], me, nobody.status, nobody.ok]
