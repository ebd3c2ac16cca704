"""How the shop shows in the admin: filters, search, inline lines, editable columns."""

from __future__ import annotations

from django.contrib import admin

from shop.models import Category, Line, Order, Product, Tag


class Lines(admin.TabularInline):
    model = Line
    extra = 2
    autocomplete_fields = ("product",)


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):
    list_display = ("name", "category", "price", "colour", "on_sale", "released")
    list_editable = ("price", "on_sale")
    list_filter = ("category", "colour", "on_sale", "released")
    search_fields = ("name",)
    date_hierarchy = "released"
    filter_horizontal = ("tags",)
    actions_on_bottom = True
    fieldsets = (
        (None, {"fields": ("name", "category", "colour", "tags")}),
        ("Selling", {"fields": (("price", "on_sale"), "released")}),
        ("More", {"classes": ("collapse",), "fields": ("picture", "updated")}),
    )


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin):
    inlines = (Lines,)
    list_display = ("__str__", "customer", "placed")
    search_fields = ("customer",)


admin.site.register([Category, Tag])
