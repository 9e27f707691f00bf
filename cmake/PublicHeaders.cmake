# The public surface: these headers are installed, documented and stable in spelling. Every
# other header ends in _internal.h, or in -inl.h for SIMD kernels; tests/layering checks that.
set(DSI_PUBLIC_HEADERS
  base/export.h
  format/limits.h
  format/schema.h
  base/status.h
  format/types.h
  io/file.h
  reader/batch.h
  reader/choice_info.h
  reader/dedup_info.h
  reader/reader.h
  reader/row_filter.h
  text/row_text.h
  reader/scan.h
  writer/row_batch.h
  text/text_input.h
  writer/writer.h
)
