import type { BrowsedNode, BrowsedVariable, BrowsePage } from '../../../daemon/channel/browsing-driver.ts';
import { createNote, describeScan } from '../../../daemon/channel/discovery.ts';
import type { Proposal, ScanRun, ScanText } from '../../../daemon/channel/discovery.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { createReason, sayReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAULTS } from '../fault-sentences.ts';
import { OPCUA_SCAN_SENTENCES } from '../scan-sentences.ts';
import { z } from '../../../daemon/base/schema.ts';
import { browseNode, OBJECTS_FOLDER } from './browse.ts';
import type { ReferencePager } from './references.ts';
import { FoundChannels } from './found-channels.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import type { OpcuaLink } from '../session/opcua-link.ts';
import { parseEndpointUrl } from '../transport/opcua-transport.ts';
import { parseNodeId } from '../value/node-id.ts';

/** Schema of the options of a scan. */
export const scanOptionsSchema = z.strictObject({
  node: z
    .string()
    .max(8192)
    .refine(
      (text) => parseNodeId(text) !== undefined,
      sayReason(createReason(OPCUA_FAULTS, 'EXPECTED_NODE_ID', {})),
    )
    .optional()
    .describe('Node below which to search for variables; default: the Objects folder'),
  depth: z.int().min(1).max(50).default(10).describe('Maximum levels below that node'),
  maximumVariables: z
    .int()
    .min(1)
    .max(10_000)
    .default(1000)
    .describe('Maximum variables; the scan ends there'),
});

/** Options of a scan, with defaults applied. */
type ScanOptions = Readonly<z.infer<typeof scanOptionsSchema>>;

export interface AddressSpaceScan {
  readonly link: OpcuaLink;
  readonly pager: ReferencePager;
  readonly config: OpcuaConfig;
  readonly options: ScanOptions;
  readonly run: ScanRun;
}

/** A node whose children are to be listed. */
interface Branch {
  readonly node: string;
  /** Browse names of its ancestors. */
  readonly path: readonly string[];
}

/** Variables without a channel for the same reason. */
interface Refusal {
  readonly reason: FaultReason;
  readonly count: number;
}

const NODES_PER_PAGE = 200;
// Guards against a server with an endless address space.
const MAXIMUM_PAGES = 10_000;

/**
 * Searches for variables below a node, level by level; visits every node once, even with cyclic references.
 *
 * @returns one asset with a channel for each, in the order of the server
 * @throws {ConnectionError}
 */
export async function scanAddressSpace(scan: AddressSpaceScan): Promise<Proposal> {
  const walk = new Walk(scan);
  await walk.run();
  return walk.propose();
}

class Walk {
  readonly #scan: AddressSpaceScan;
  readonly #found = new FoundChannels();
  readonly #seen = new Set<string>();
  /** By their message. */
  readonly #refusals = new Map<string, Refusal>();
  readonly #notes: FaultReason[] = [];
  #end: FaultReason | undefined;
  #pages = 0;

  constructor(scan: AddressSpaceScan) {
    this.#scan = scan;
  }

  async run(): Promise<void> {
    const { options, run } = this.#scan;
    const start = options.node ?? OBJECTS_FOLDER;
    this.#seen.add(start);
    let branches: readonly Branch[] = [{ node: start, path: [] }];
    for (let level = 0; level < options.depth && branches.length > 0; level += 1) {
      const next: Branch[] = [];
      for (const branch of branches) {
        if (run.signal.aborted || this.#isFull()) return;
        next.push(...(await this.#list(branch)));
      }
      branches = next;
    }
    if (branches.length > 0) {
      const { depth } = options;
      const code = depth === 1 ? 'SCAN_DEEPER_LEVEL' : 'SCAN_DEEPER_LEVELS';
      this.#notes.push(createReason(OPCUA_SCAN_SENTENCES, code, { depth }));
    }
  }

  propose(): Proposal {
    const { config, options } = this.#scan;
    const channels = this.#found.list;
    const notes = this.#notes.map((reason) => createNote(reason));
    for (const { reason, count } of this.#refusals.values()) {
      const code = count === 1 ? 'SCAN_VARIABLE_WITHOUT_CHANNEL' : 'SCAN_VARIABLES_WITHOUT_CHANNEL';
      notes.push(createNote(createReason(OPCUA_SCAN_SENTENCES, code, { count }), reason));
    }
    if (config.securityMode === 'NONE') {
      notes.push(createNote(createReason(OPCUA_SCAN_SENTENCES, 'SCAN_UNPROTECTED', {})));
    }
    const pid = options.node?.replace(/^.*;?[isgb]=/s, '') ?? parseEndpointUrl(config.endpointUrl).hostname;
    return {
      assets: channels.length === 0 ? [] : [{ pid, channels }],
      notes,
    };
  }

  #isFull(): boolean {
    const { maximumVariables: count } = this.#scan.options;
    if (this.#found.list.length >= count) {
      this.#noteEnd(createReason(OPCUA_SCAN_SENTENCES, 'SCAN_ENOUGH_VARIABLES', { count }));
    } else if (this.#pages >= MAXIMUM_PAGES) {
      this.#noteEnd(createReason(OPCUA_SCAN_SENTENCES, 'SCAN_ENDLESS', {}));
    }
    return this.#end !== undefined;
  }

  #noteEnd(reason: FaultReason): void {
    if (this.#end === undefined) this.#notes.push(reason);
    this.#end ??= reason;
  }

  /** Lists the children of a node; returns those with children. */
  async #list({ node, path }: Branch): Promise<readonly Branch[]> {
    const { run } = this.#scan;
    const branches: Branch[] = [];
    let from: number | undefined = 0;
    while (from !== undefined && !run.signal.aborted && !this.#isFull()) {
      run.report({ type: 'progress', done: this.#pages, text: path.join('.') || node });
      const page = await this.#getPage(node, from);
      if (page === undefined) break;
      for (const child of page.nodes) branches.push(...this.#take(child, { node, path }));
      from = page.next;
    }
    return branches;
  }

  async #getPage(node: string, from: number): Promise<BrowsePage | undefined> {
    const { link, pager, run, options } = this.#scan;
    this.#pages += 1;
    const page = await run.call((signal) =>
      browseNode({ node, from, limit: NODES_PER_PAGE, signal }, link, pager),
    );
    if (!('failure' in page)) return page;
    const { code, message, status } = page.failure;
    // Without the first node there is no result; a failure of another one leaves the rest usable.
    if (node === (options.node ?? OBJECTS_FOLDER)) throw new ConnectionError({ code, detail: message });
    this.#refuse(createReason(OPCUA_SCAN_SENTENCES, 'SCAN_BROWSE_REFUSED', { status: status ?? code }));
    return undefined;
  }

  #take(child: BrowsedNode, { node: parent, path }: Branch): readonly Branch[] {
    const { node, browseName, isParent, reference, variable } = child;
    // Standard nodes in the Objects folder describe the server, not the device.
    const isOfServer = parent === OBJECTS_FOLDER && node !== undefined && !node.startsWith('ns');
    if (isOfServer || (node !== undefined && this.#seen.has(node)) || this.#isFull()) return [];
    if (node !== undefined) this.#seen.add(node);
    const own = [...path, browseName];
    if (variable !== undefined) this.#takeVariable(child, own);
    return isParent && node !== undefined && reference !== 'HasProperty' ? [{ node, path: own }] : [];
  }

  #takeVariable(child: BrowsedNode, path: readonly string[]): void {
    const { variable, node = '', description = '' } = child;
    if (variable === undefined) return;
    const { dataType, unit = '', channel, refusal, isReadable, isWritable } = variable;
    const name = this.#found.add(path, child);
    if (name === undefined && refusal !== undefined) this.#refuse(refusal);
    const valueType = channel?.valueType ?? '';
    this.#scan.run.report({
      type: 'found',
      subject: name ?? path.join('.'),
      kind: name === undefined ? 'NOT_CARRIED' : 'VARIABLE',
      ...describeVariable(variable, description),
      fields: { node, dataType, unit, description, valueType, isReadable, isWritable },
    });
  }

  #refuse(reason: FaultReason): void {
    const { count = 0 } = this.#refusals.get(reason.message) ?? {};
    this.#refusals.set(reason.message, { reason, count: count + 1 });
  }
}

/** Returns `Double in °C, read only: Temperature of the flow`. */
function describeVariable(variable: BrowsedVariable, description: string): ScanText {
  const { unit, channel, refusal } = variable;
  const type = unit === undefined ? describeType(variable) : `${describeType(variable)} in ${unit}`;
  const sentences = OPCUA_SCAN_SENTENCES;
  if (channel === undefined) {
    const reason = createReason(sentences, 'SCAN_VARIABLE_NOT_CARRIED', { type });
    return describeScan(reason, ...(refusal === undefined ? [] : [refusal]));
  }
  const code = `SCAN_VARIABLE_${channel.type}` as const;
  return describeScan(
    description === ''
      ? createReason(sentences, code, { type })
      : createReason(sentences, `${code}_DESCRIBED`, { type, description }),
  );
}

// Double, Int16[], Int16[2,3]
function describeType({ dataType, dimensions = 0, arrayDimensions }: BrowsedVariable): string {
  if (dimensions === 0) return dataType;
  const lengths = Array.from({ length: dimensions }, (_, index) => String(arrayDimensions?.[index] || ''));
  return `${dataType}[${lengths.join(',')}]`;
}
