import { ChannelList } from './channel-list.ts';
import { Findings, NotTaken } from './imported.ts';
import type { Imported, ImportedAsset, ImportedDriver, Item } from './imported.ts';
import { toPid } from './name.ts';
import { convertNode } from './neuron-driver.ts';
import type { ConvertedNode } from './neuron-driver.ts';
import { readNeuronNodes } from './neuron-shape.ts';
import type { NeuronGroup, NeuronNode } from './neuron-shape.ts';
import { convertTag } from './neuron-tag.ts';

// The plugins that bring values north; what they do has no counterpart among drivers and assets.
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
  for (const node of readNeuronNodes(text)) {
    const { name: place, plugin } = node;
    if (APPLICATIONS.test(plugin)) {
      findings.remark({ place, text: plugin, reason: 'is no driver and no asset' });
      continue;
    }
    const pid = toPid(place);
    const converted = findings.attempt({ place, text: plugin }, () => {
      if (pid === '') throw new NotTaken('its name is not possible here');
      return convertNode(node);
    });
    if (converted === undefined) {
      refuseTags(node, findings);
      continue;
    }
    drivers.push({ place, driver: { pid, ...converted.settings } });
    remarkRest(node, converted, findings);
    assets.push(...node.groups.map((group) => convertGroup(group, { node, pid, converted, findings })));
  }
  return { drivers, assets, untaken: findings.untaken, remarks: findings.remarks };
}

function refuseTags({ name, groups }: NeuronNode, findings: Findings): void {
  for (const group of groups) {
    for (const tag of group.tags) {
      const place = `${name}/${group.name}/${nameOf(tag)}`;
      findings.refuse({ place, text: addressOf(tag), reason: 'its node is not taken over' });
    }
  }
}

function remarkRest({ name: place }: NeuronNode, { rest }: ConvertedNode, findings: Findings): void {
  for (const text of rest) findings.remark({ place, text, reason: 'has no counterpart' });
}

interface Surroundings {
  readonly node: NeuronNode;
  readonly pid: string;
  readonly converted: ConvertedNode;
  readonly findings: Findings;
}

function convertGroup(group: NeuronGroup, { node, pid, converted, findings }: Surroundings): ImportedAsset {
  const place = `${node.name}/${group.name}`;
  const list = new ChannelList(findings);
  for (const tag of group.tags) {
    const name = nameOf(tag);
    const convert = (): Item => convertTag(tag, converted.speaks, node.params);
    const at = { place: `${place}/${name}`, text: addressOf(tag) };
    list.add({ ...at, name, convert });
    const { precision } = tag;
    if (typeof precision === 'number' && precision > 0) {
      findings.remark({ ...at, reason: `values are not rounded to ${precision} digits here` });
    }
  }
  if (group.intervalMs !== undefined) {
    const reason = 'has no counterpart: channels are read when someone asks';
    findings.remark({ place, text: `interval ${group.intervalMs}`, reason });
  }
  return { place, asset: { pid: `${pid}.${toPid(group.name)}`, driver: pid }, channels: list.channels };
}

function nameOf({ name }: Item): string {
  return typeof name === 'string' ? name : '';
}

function addressOf({ address }: Item): string {
  return typeof address === 'string' ? address : '';
}
