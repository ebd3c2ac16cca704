"""A shop: categories, products with tags, orders with lines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db import models

NAMES = ("Ember", "Glow", "Dusk", "Harbour", "Lantern", "Orbit", "Prism", "Reed", "Silo", "Tide", "Umbra", "Vesper")


class Category(models.Model):
    name = models.CharField(max_length=60, unique=True)
    description = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "categories"

    def __str__(self) -> str:
        return self.name


class Tag(models.Model):
    name = models.CharField(max_length=30)

    def __str__(self) -> str:
        return self.name


class Product(models.Model):
    name = models.CharField(max_length=80, help_text="As it stands in the catalogue.")
    category = models.ForeignKey(Category, models.PROTECT)
    tags = models.ManyToManyField(Tag, blank=True)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    colour = models.CharField(max_length=10, choices=[("amber", "Amber"), ("smoke", "Smoke"), ("clear", "Clear")])
    on_sale = models.BooleanField(default=False)
    released = models.DateField(null=True, blank=True)
    picture = models.FileField(blank=True)
    updated = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Order(models.Model):
    customer = models.EmailField()
    note = models.TextField(blank=True)
    placed = models.DateTimeField()

    def __str__(self) -> str:
        return f"Order {self.pk}"


class Line(models.Model):
    order = models.ForeignKey(Order, models.CASCADE)
    product = models.ForeignKey(Product, models.PROTECT)
    amount = models.PositiveIntegerField(default=1)


def fill() -> None:
    """Make the same data every time."""
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    categories = [Category.objects.create(name=name) for name in ("Lamps", "Candles", "Shades")]
    tags = [Tag.objects.create(name=name) for name in ("new", "hand-made", "outdoor")]
    for number in range(130):
        product = Product.objects.create(
            name=f"{NAMES[number % len(NAMES)]} {number}",
            category=categories[number % 3],
            price=10 + number,
            colour=("amber", "smoke", "clear")[number % 3],
            on_sale=number % 4 == 0,
            released=(noon + timedelta(days=number)).date(),
            updated=noon + timedelta(hours=number),
        )
        product.tags.add(tags[number % 3])
    for number in range(7):
        order = Order.objects.create(customer=f"guest{number}@example.org", placed=noon + timedelta(days=number))
        Line.objects.create(order=order, product_id=number + 1, amount=number + 1)
