"""Assertions that wait: `expect(page.locator("#total")).to_have_text("12")`.

- `expect`: the function, which makes assertions for what it is given
- `locator`, `page`, `values`: the assertions about elements, pages, and responses and values
- `matching`, `aria`: whether what was read is as expected; pure
- `screenshots`: how two pictures differ; `pictures` asserts it, with the directories of `places`
- `waiting`: how an assertion waits and what its failure says
- `soft`: failures that are kept until a test ends
- `settings`: how long they wait
"""
