"""All readers that this installation has, with the processes that some of them need."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skitter.content.documents.document import Reader
from skitter.content.documents.paper import pdf_reader
from skitter.content.documents.readers import BY_TYPE
from skitter.content.pdf.desk import PdfDesk, is_installed
from skitter.settings import ContentSettings


def all_readers(settings: ContentSettings) -> tuple[Mapping[str, Reader], Callable[[], None]]:
    """Returns the readers by media type, and what ends their processes."""
    if not is_installed():
        return BY_TYPE, lambda: None
    desk = PdfDesk(settings)
    return {**BY_TYPE, "application/pdf": pdf_reader(desk.read)}, desk.close
