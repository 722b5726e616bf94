import { checkObjects } from './bounds.ts';
import { unreadable } from './imported.ts';
import type { Item } from './imported.ts';

/** A group of tags of a node. */
export interface NeuronGroup {
  readonly name: string;
  readonly intervalMs: number | undefined;
  readonly tags: readonly Item[];
}

/** A node: connection to a device, or application that receives values. */
export interface NeuronNode {
  readonly name: string;
  readonly plugin: string;
  readonly params: Item;
  readonly groups: readonly NeuronGroup[];
}

/** A tag that belongs to no node or group of the file. */
export interface StrayTag {
  readonly place: string;
  readonly tag: Item;
  readonly reason: string;
}

/** Content of an export. */
export interface NeuronExport {
  readonly nodes: readonly NeuronNode[];
  readonly strays: readonly StrayTag[];
}

/**
 * Reads the nodes of an export: of the whole configuration (`/api/v2/global/config`), with tags and settings next to the
 * nodes, or of drivers (`/api/v2/global/drivers`), with groups inside the nodes.
 *
 * @throws {CommandError} `IMPORT_UNREADABLE`, with the place
 */
export function readNeuronNodes(text: string): NeuronExport {
  const document = asItem(parse(text), 'document');
  if (document['nodes'] === undefined) throw unreadable('nodes is missing; expected an export of Neuron');
  const settings = listItems(document, 'settings');
  const groups = listItems(document, 'groups');
  const tags = listItems(document, 'tags');
  const nodes = listItems(document, 'nodes').map((node, index) => {
    const name = textIn(node, 'name', `nodes[${index}]`);
    const inside = listItems(node, 'groups', `nodes[${index}].groups`).map((group, at) =>
      readGroup(group, [group], `nodes[${index}].groups[${at}]`),
    );
    const beside = groups
      .filter((group) => group['driver'] === name)
      .map((group, at) =>
        readGroup(
          group,
          tags.filter((each) => each['driver'] === name && each['group'] === group['group']),
          `groups[${at}]`,
        ),
      );
    const params = node['params'] ?? settings.find((each) => each['node'] === name)?.['params'] ?? {};
    return {
      name,
      plugin: textIn(node, 'plugin', `nodes[${index}]`),
      params: asItem(params, `settings of ${name}`),
      groups: [...inside, ...beside],
    };
  });
  return { nodes, strays: listStrays(nodes, groups, tags) };
}

function listStrays(
  nodes: readonly NeuronNode[],
  groups: readonly Item[],
  tags: readonly Item[],
): readonly StrayTag[] {
  const isNode = (name: unknown): boolean => nodes.some((node) => node.name === name);
  const ofGroups = groups.filter(({ driver }) => !isNode(driver));
  const ofTags = tags.filter(
    ({ driver, group }) =>
      !isNode(driver) || !groups.some((each) => each['driver'] === driver && each['group'] === group),
  );
  return [...ofGroups, ...ofTags].flatMap((part) => {
    const place = `${String(part['driver'])}/${String(part['group'] ?? part['name'])}`;
    const reason = 'its node or group is not in the file';
    return listItems(part, 'tags', `tags of ${place}`).map((tag) => ({ place, tag, reason }));
  });
}

function readGroup(group: Item, parts: readonly Item[], place: string): NeuronGroup {
  const name = textIn(group, group['group'] === undefined ? 'name' : 'group', place);
  const { interval } = group;
  return {
    name,
    intervalMs: typeof interval === 'number' ? interval : undefined,
    tags: parts.flatMap((part) => listItems(part, 'tags', `tags of ${name}`)),
  };
}

function parse(text: string): unknown {
  checkObjects(text);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw unreadable(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function listItems(item: Item, key: string, place = key): readonly Item[] {
  const value = item[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw unreadable(`${place}: expected a list`);
  return value.map((each, index) => asItem(each, `${place}[${index}]`));
}

function asItem(value: unknown, place: string): Item {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Item;
  throw unreadable(`${place}: expected an object`);
}

function textIn(item: Item, key: string, place: string): string {
  const value = item[key];
  if (typeof value === 'string' && value !== '') return value;
  throw unreadable(`${place}: ${key} is missing`);
}
