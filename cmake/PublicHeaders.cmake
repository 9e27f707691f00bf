# The public surface: these headers are installed, documented and stable in spelling. Every
# other header ends in _internal.h, or in -inl.h for SIMD kernels; tests/layering checks that.
set(DSI_PUBLIC_HEADERS
  base/export.h
  base/status.h
  base/version.h
  format/limits.h
  format/schema.h
  format/types.h
  io/file.h
  io/open.h
  io/remote_options.h
  reader/batch.h
  reader/dedup_info.h
  reader/file_info.h
  reader/read_plan.h
  reader/reader.h
  reader/row_filter.h
  reader/scan.h
  reader/scan_metrics.h
  reader/scan_options.h
  reader/verify_options.h
  text/row_text.h
  text/text_input.h
  writer/row_batch.h
  writer/writer.h
)
