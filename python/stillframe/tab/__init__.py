"""Pages: frames, worlds, locating, acting, capturing; everything that knows what a page is."""
