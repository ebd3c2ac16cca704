"""Articles, and the sections that they are in."""

from __future__ import annotations

from django.db import models
from wagtail.admin.panels import FieldPanel
from wagtail.blocks import CharBlock, TextBlock
from wagtail.fields import RichTextField, StreamField
from wagtail.models import Page, Site
from wagtail.snippets.models import register_snippet


@register_snippet
class Section(models.Model):
    name = models.CharField(max_length=60)
    panels = (FieldPanel("name"),)

    def __str__(self) -> str:
        return self.name


class Article(Page):
    lead = models.CharField(max_length=200, blank=True)
    text = RichTextField(blank=True)
    body = StreamField([("heading", CharBlock()), ("paragraph", TextBlock())], blank=True)
    section = models.ForeignKey(Section, null=True, blank=True, on_delete=models.SET_NULL)
    content_panels = (
        *Page.content_panels,
        FieldPanel("lead"),
        FieldPanel("text"),
        FieldPanel("body"),
        FieldPanel("section"),
    )


def fill() -> None:
    """Write a front page with some articles."""
    for name in ("Sea", "Town", "Weather"):
        Section.objects.create(name=name)
    root = Page.get_first_root_node()
    for page in root.get_children():
        page.delete()
    root = Page.objects.get(pk=root.pk)
    front = root.add_child(instance=Article(title="Front page", slug="front"))
    for title in ("Fog over the bay", "Tram is late", "Market moves", "Old bridge closed"):
        front.add_child(instance=Article(title=title, lead=f"{title}, says the mayor."))
    Site.objects.update_or_create(is_default_site=True, defaults={"hostname": "127.0.0.1", "root_page": front})
