"""PDF files for tests, written by hand."""

from __future__ import annotations


def pdf_of(*pages: str, title: str = "") -> bytes:
    """Return a PDF with a line of text on each page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for n, text in enumerate(pages):
        stream = f"BT /F1 24 Tf 20 200 Td ({text}) Tj ET"
        resources = "/Resources<</Font<</F1 3 0 R>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents {5 + 2 * n} 0 R{resources}>>")
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    objects.append(f"<</Title({title})>>")
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size, end = len(objects) + 1, len(out)
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R/Info {len(objects)} 0 R>>\n"
    return out + f"{tail}startxref\n{end}\n%%EOF\n".encode()
