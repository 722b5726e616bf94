import { Conflict } from '../../../base/errors.ts';
import { runInSlices } from '../../../base/slices.ts';
import type { SliceClock } from '../../../base/slices.ts';
import type { ConfigurationStore } from '../../../configuration/store/configuration-store.ts';
import { DocumentError } from '../../../base/document-error.ts';
import { isDocument } from '../../../configuration/managed-document.ts';
import type { ManagedDocument } from '../../../configuration/managed-document.ts';
import { getItem, getSection, pickItem, putItem } from '../../../configuration/section-edit.ts';
import type { Answer } from '../../http/answer.ts';
import { changeConfiguration } from '../configuration/configuration-change.ts';
import type { ConfigurationChanger } from '../configuration/configuration-change.ts';
import { formatEntityTag } from '../../http/entity-tag.ts';
import { implement } from '../../http/implement.ts';
import type { CallOf } from '../../http/implement.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { readTagSheet, replaceTagSheet } from '../../../interface/plant/tag-sheets.ts';
import type { Route } from '../../http/route.ts';
import { formatTagSheet, locateInSheet, parseTagSheet } from './tag-sheet.ts';
import type { TagSheet } from './tag-sheet.ts';

type SheetCall = CallOf<typeof replaceTagSheet>;

interface TagSheetRouteParts {
  readonly configuration: Pick<ConfigurationStore, 'show' | 'describeChannelOf' | 'describeChannelServedBy'>;
  readonly applier: ConfigurationChanger;
  readonly clock: SliceClock;
}

/** Creates the endpoints that export and import the channels of an asset as a table. */
export function createTagSheetRoutes({
  configuration,
  applier,
  clock,
}: TagSheetRouteParts): readonly Route[] {
  return [
    implement(readTagSheet, async ({ parameters: { pid } }) => {
      const schema = configuration.describeChannelOf(pid);
      const { id, document } = await configuration.show((whole) => pickItem(whole, 'assets', pid));
      const writing = formatTagSheet(channelsOf(getItem(document, 'assets', pid)), schema);
      const csv = await runInSlices(writing, clock);
      return { status: 200, headers: { ETag: formatEntityTag(id) }, csv };
    }),
    implement(replaceTagSheet, replaceChannels),
  ];

  async function replaceChannels(call: SheetCall): Promise<Answer<ResultOf<typeof replaceTagSheet>>> {
    const {
      body,
      parameters: { pid },
      query: { driver },
    } = call;
    let placed: { readonly sheet: TagSheet; readonly assetIndex: number } | undefined;
    const edit = async (document: ManagedDocument): Promise<ManagedDocument> => {
      const schema =
        driver === undefined
          ? configuration.describeChannelOf(pid)
          : configuration.describeChannelServedBy(driver);
      const sheet = await runInSlices(parseTagSheet(body, schema), clock);
      const asset =
        driver === undefined ? getItem(document, 'assets', pid) : createAsset(document, pid, driver);
      const assets = getSection(document, 'assets') as readonly unknown[];
      const position = assets.indexOf(asset);
      placed = { sheet, assetIndex: position === -1 ? assets.length : position };
      return putItem(document, 'assets', pid, { ...(asset as ManagedDocument), channels: sheet.channels });
    };
    try {
      return await changeConfiguration(applier, call, () => edit);
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
  throw new Conflict({ code: 'ASSET_EXISTS', detail: `asset "${pid}" already exists` });
}

function channelsOf(asset: unknown): readonly unknown[] {
  const channels = isDocument(asset) ? asset['channels'] : undefined;
  return Array.isArray(channels) ? (channels as readonly unknown[]) : [];
}
