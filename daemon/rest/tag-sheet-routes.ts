import { Conflict } from '../base/errors.ts';
import { z } from '../base/schema.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { DocumentError } from '../base/document-error.ts';
import { isDocument } from '../configuration/managed-document.ts';
import type { ManagedDocument } from '../configuration/managed-document.ts';
import { getItem, getSection, putItem } from '../configuration/section-edit.ts';
import type { Answer } from '../http/answer.ts';
import { changeConfiguration, changePlan, changeQuery } from './configuration-change.ts';
import type { ConfigurationChanger } from './configuration-change.ts';
import { CONFIGURATION_ROOT } from './configuration-routes.ts';
import { formatEntityTag } from '../http/entity-tag.ts';
import { readQuery } from '../http/query.ts';
import { defineRoute } from '../http/route.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';
import { formatTagSheet, locateInSheet, parseTagSheet } from './tag-sheet.ts';
import type { TagSheet } from './tag-sheet.ts';

const PATH = `${CONFIGURATION_ROOT}/assets/:pid/_tags`;
const sheetQuery = changeQuery.extend({
  driver: z.string().optional().describe('Creates the asset, which this driver serves'),
});
const MAXIMUM_BYTES = 16 * 1024 * 1024;

interface TagSheetRouteParts {
  readonly configuration: Pick<ConfigurationStore, 'show' | 'describeChannelOf' | 'describeChannelServedBy'>;
  readonly applier: ConfigurationChanger;
}

/** Creates the endpoints that export and import the channels of an asset as a table. */
export function createTagSheetRoutes({ configuration, applier }: TagSheetRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: PATH,
      summary: 'Returns the channels of an asset as a table',
      access: 'rest.configuration',
      response: { status: 200, contentType: 'text/csv' },
      handle({ parameters: { pid = '' } }) {
        const schema = configuration.describeChannelOf(pid);
        const { id, document } = configuration.show();
        const csv = formatTagSheet(channelsOf(getItem(document, 'assets', pid)), schema);
        return { status: 200, headers: { ETag: formatEntityTag(id) }, csv };
      },
    }),
    defineRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Replaces the channels of an asset with those of a table, or creates an asset with them',
      access: 'rest.configuration',
      query: sheetQuery,
      condition: 'NEEDED',
      request: { contentType: 'text/csv', schema: z.string(), maximumBytes: MAXIMUM_BYTES },
      response: { status: 200, schema: changePlan },
      handle: (context) => replaceChannels(context),
    }),
  ];

  async function replaceChannels(context: RequestContext<string>): Promise<Answer> {
    const { body } = context;
    const { pid = '' } = context.parameters;
    let placed: { readonly sheet: TagSheet; readonly assetIndex: number } | undefined;
    const { driver } = readQuery(context.request, sheetQuery);
    const edit = (document: ManagedDocument): ManagedDocument => {
      const sheet =
        driver === undefined
          ? parseTagSheet(body, configuration.describeChannelOf(pid))
          : parseTagSheet(body, configuration.describeChannelServedBy(driver));
      const asset =
        driver === undefined ? getItem(document, 'assets', pid) : createAsset(document, pid, driver);
      const assets = getSection(document, 'assets') as readonly unknown[];
      const position = assets.indexOf(asset);
      placed = { sheet, assetIndex: position === -1 ? assets.length : position };
      return putItem(document, 'assets', pid, { ...(asset as ManagedDocument), channels: sheet.channels });
    };
    try {
      return await changeConfiguration(applier, context, () => edit);
    } catch (error) {
      if (!(error instanceof DocumentError) || placed === undefined) throw error;
      const { sheet, assetIndex } = placed;
      throw new DocumentError(error.faults.map((fault) => locateInSheet(fault, assetIndex, sheet)));
    }
  }
}

/** @throws {Conflict} `ASSET_EXISTS` */
function createAsset(document: ManagedDocument, pid: string, driver: string): ManagedDocument {
  const assets = getSection(document, 'assets') as readonly unknown[];
  if (!assets.some((asset) => isDocument(asset) && asset['pid'] === pid)) return { pid, driver };
  throw new Conflict({ code: 'ASSET_EXISTS', detail: 'an asset has this pid already' });
}

function channelsOf(asset: unknown): readonly unknown[] {
  const channels = isDocument(asset) ? asset['channels'] : undefined;
  return Array.isArray(channels) ? (channels as readonly unknown[]) : [];
}
