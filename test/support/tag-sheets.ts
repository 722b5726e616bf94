import { finish } from '../../daemon/base/slices.ts';
import type { JsonSchema } from '../../daemon/configuration/document-schema.ts';
import * as sheet from '../../daemon/server/rest/plant/tag-sheet.ts';

/** Writes a tag sheet without interruption. */
export function formatTagSheet(channels: readonly unknown[], schema: JsonSchema): string {
  return finish(sheet.formatTagSheet(channels, schema));
}

/** Reads a tag sheet without interruption; it throws what the sheet itself does. */
export function parseTagSheet(text: string, schema: JsonSchema): sheet.TagSheet {
  return finish(sheet.parseTagSheet(text, schema));
}
