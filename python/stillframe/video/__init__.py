"""Films of pages: WebM files made of Chrome's screencasts by ffmpeg."""
