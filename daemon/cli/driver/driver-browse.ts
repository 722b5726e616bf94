import { browseDevice } from '../../interface/plant/browsing.ts';
import type { BrowsedNode, BrowsePage } from '../../interface/plant/browsing.ts';
import type { Invocation } from '../client/client-commands.ts';
import { fetchItems, getItem } from '../configuration/configured-item.ts';
import { formatTable } from '../terminal/table.ts';
import type { Options } from '../command-group.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';

/** Options of `penstock driver browse`. */
export const BROWSE_OPTIONS = {
  from: { value: 'POSITION', help: 'position of the first node, as printed after the previous page' },
  limit: { value: 'COUNT', help: 'maximum number of nodes per page', default: '200' },
} as const satisfies Options;

/** Lists the children of a node in the address space of a device. */
export async function browseTree({
  client,
  options,
  words,
  terminal,
  show,
  isJson,
}: Invocation): Promise<void> {
  const [pid = '', node] = words;
  getItem(await fetchItems(client, 'drivers'), 'driver', pid);
  const from = readWholeNumber(options, 'from', { maximum: 999_999 });
  const limit = readWholeNumber(options, 'limit', { maximum: 999_999 });
  const page = await client.call(browseDevice, { pid, node, from, limit });
  show(page, formatPage);
  if (page.next !== undefined && !isJson)
    terminal.note(`more nodes follow; continue with --from ${page.next}\n`);
}

function formatPage({ nodes }: BrowsePage): string {
  if (nodes.length === 0) return 'No nodes below this node.\n';
  const table = formatTable<BrowsedNode>(
    [
      { title: 'NAME', show: ({ browseName }) => browseName },
      { title: 'TYPE', show: describeType },
      { title: 'UNIT', show: ({ variable }) => variable?.unit ?? '', isOptional: true },
      { title: 'ACCESS', show: ({ variable }) => describeAccess(variable), isOptional: true },
      { title: 'NODE', show: ({ node }) => node },
    ],
    nodes,
  );
  const refused = nodes.filter(({ variable }) => variable?.refusal !== undefined);
  if (refused.length === 0) return table;
  const reasons = formatTable<BrowsedNode>(
    [
      { title: 'NAME', show: ({ browseName }) => browseName },
      { title: 'REASON FOR NO CHANNEL', show: ({ variable }) => variable?.refusal },
    ],
    refused,
  );
  return `${table}\n${reasons}`;
}

function describeType({ nodeClass, variable }: BrowsedNode): string {
  if (variable === undefined) return nodeClass;
  const { dataType, dimensions = 0 } = variable;
  return dimensions === 0 ? dataType : `${dataType}[${','.repeat(dimensions - 1)}]`;
}

function describeAccess(variable: BrowsedNode['variable']): string {
  if (variable === undefined) return '';
  const { isReadable, isWritable } = variable;
  return `${isReadable ? 'r' : ''}${isWritable ? 'w' : ''}` || 'none';
}
