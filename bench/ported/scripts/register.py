"""Test a form of two steps: validation, every kind of control, a dialog, a file."""

from playwright.async_api import Dialog, async_playwright, expect


async def main(url: str):
    asked: list[str] = []

    async def answer(dialog: Dialog):
        asked.append(f"{dialog.type}: {dialog.message}")
        if len(asked) == 1:
            await dialog.dismiss()
        else:
            await dialog.accept()

    async with async_playwright() as p:
        browser = await p.chromium.launch()
        page = await browser.new_page()
        page.on("dialog", answer)
        await page.goto(f"{url}/wizard")
        alert = page.get_by_role("alert")

        await page.get_by_role("button", name="Next").click()
        await expect(alert).to_contain_text("valid address")
        await page.get_by_label("Name").fill("Ann Wick")
        await page.get_by_label("E-mail").fill("ann@wick.example")
        await page.get_by_role("button", name="Next").click()
        await expect(page.get_by_role("group", name="Delivery")).to_be_visible()

        await page.get_by_label("Country").select_option(label="France")
        await page.get_by_label("Express").check()
        await expect(page.get_by_label("Standard")).not_to_be_checked()
        await page.get_by_label("On").fill("2026-12-24")
        await page.get_by_label("Licence").set_input_files(
            files=[{"name": "licence.txt", "mimeType": "text/plain", "buffer": b"number 7"}]
        )
        send = page.get_by_text("Send", exact=True)
        await send.click()
        await expect(alert).to_have_text("Please accept the terms")
        await page.get_by_label("I accept the terms").set_checked(True)
        await send.click()
        await expect(alert).to_have_text("Not sent")
        await send.click()
        output = page.locator("output")
        await expect(output).not_to_be_empty()
        result = await output.text_content()
        values = await page.locator("#country").evaluate("e => [e.value, e.selectedIndex]")
        await browser.close()
    return [asked, result, values]
