"""PDF: read by pdfium in processes of their own, with limits, since no such library is safe from every file."""
