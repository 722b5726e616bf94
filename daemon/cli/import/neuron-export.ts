import { ChannelList } from './channel-list.ts';
import { Findings } from './imported.ts';
import type { Imported, ImportedAsset, ImportedDriver, Item } from './imported.ts';
import { convertNode } from './neuron-driver.ts';
import type { ConvertedNode } from './neuron-driver.ts';
import { readNeuronNodes } from './neuron-shape.ts';
import type { NeuronGroup, NeuronNode } from './neuron-shape.ts';
import { convertTag } from './neuron-tag.ts';
import { UniquePids } from './name.ts';

// Northbound plugins have no counterpart among drivers and assets.
const APPLICATIONS = /^(?:mqtt|azure iot|aws iot|sparkplugb?|ekuiper|monitor|websocket|kafka)\b/i;

/**
 * Converts an export of Neuron: each southern node becomes a driver, each of its groups an asset `node.group`.
 *
 * @param text JSON
 * @throws {CommandError} `IMPORT_UNREADABLE`, with the place
 */
export function convertNeuronExport(text: string): Imported {
  const findings = new Findings();
  const drivers: ImportedDriver[] = [];
  const assets: ImportedAsset[] = [];
  const pids = { drivers: new UniquePids(), assets: new UniquePids() };
  const { nodes, strays } = readNeuronNodes(text);
  for (const { place, tag, reason } of strays) {
    findings.refuse({ place: `${place}/${nameOf(tag)}`, text: addressOf(tag), reason });
  }
  for (const node of nodes) {
    const { name: place, plugin } = node;
    if (APPLICATIONS.test(plugin)) {
      findings.remark({ place, text: plugin, reason: 'is neither a driver nor an asset' });
      continue;
    }
    const converted = findings.attempt({ place, text: plugin }, () => {
      const pid = pids.drivers.claim(place, place);
      return { pid, ...convertNode(node) };
    });
    if (converted === undefined) {
      for (const group of node.groups) refuseTags(node, group, findings);
      continue;
    }
    const { pid } = converted;
    drivers.push({ place, driver: { pid, ...converted.settings } });
    remarkRest(node, converted, findings);
    for (const group of node.groups) {
      const at = { place: `${place}/${group.name}`, text: 'group' };
      const own = findings.attempt(at, () =>
        pids.assets.claim(group.name, at.place, (name) => `${pid}.${name}`),
      );
      if (own === undefined) refuseTags(node, group, findings);
      else assets.push(convertGroup(group, { node, asset: { pid: own, driver: pid }, converted, findings }));
    }
  }
  return { drivers, assets, untaken: findings.untaken, remarks: findings.remarks };
}

function refuseTags({ name }: NeuronNode, group: NeuronGroup, findings: Findings): void {
  for (const tag of group.tags) {
    const place = `${name}/${group.name}/${nameOf(tag)}`;
    findings.refuse({ place, text: addressOf(tag), reason: 'its node or group is not imported' });
  }
}

function remarkRest({ name: place }: NeuronNode, { rest }: ConvertedNode, findings: Findings): void {
  for (const text of rest) findings.remark({ place, text, reason: 'has no counterpart' });
}

interface TagContext {
  readonly node: NeuronNode;
  readonly asset: Item;
  readonly converted: ConvertedNode;
  readonly findings: Findings;
}

function convertGroup(group: NeuronGroup, { node, asset, converted, findings }: TagContext): ImportedAsset {
  const place = `${node.name}/${group.name}`;
  const list = new ChannelList(findings, group.tags.map(nameOf));
  for (const tag of group.tags) {
    const name = nameOf(tag);
    const at = { place: `${place}/${name}`, text: addressOf(tag) };
    const remark = (reason: string): void => findings.remark({ ...at, reason });
    const context = { speaks: converted.speaks, params: node.params, remark };
    list.add({ ...at, name, convert: () => convertTag(tag, context) });
    const { precision } = tag;
    if (typeof precision === 'number' && precision > 0) {
      findings.remark({ ...at, reason: `values are not rounded to ${precision} digits` });
    }
  }
  if (group.intervalMs !== undefined) {
    const reason = 'has no counterpart: channels are read on demand';
    findings.remark({ place, text: `interval ${group.intervalMs}`, reason });
  }
  return { place, asset, channels: list.channels };
}

function nameOf({ name }: Item): string {
  return typeof name === 'string' ? name : '';
}

function addressOf({ address }: Item): string {
  return typeof address === 'string' ? address : '';
}
