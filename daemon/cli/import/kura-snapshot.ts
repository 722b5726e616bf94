import { XmlError, parseXml } from '../../base/text/xml-document.ts';
import type { XmlElement } from '../../base/text/xml-document.ts';
import { checkElements } from './bounds.ts';
import { ChannelList } from './channel-list.ts';
import { unreadable, Findings, UnsupportedEntry } from './imported.ts';
import type { Imported, ImportedAsset, ImportedDriver, Item } from './imported.ts';
import {
  convertKuraChannel,
  isScaledWrite,
  SETTINGS_FOR_KURA_CLIENTS,
  UNSCALED_WRITES,
} from './kura-channel.ts';
import type { KuraDriver } from './kura-channel.ts';
import { describeKuraComponent } from './kura-component.ts';
import { convertModbusDriver } from './kura-modbus.ts';
import { convertOpcuaDriver } from './kura-opcua.ts';
import { KuraProperties } from './kura-properties.ts';
import { UniquePids } from './name.ts';

/** One `configuration` of a snapshot. */
interface Component {
  readonly pid: string;
  readonly factory: string;
  /** Without properties of the framework. */
  readonly entries: readonly (readonly [name: string, text: string])[];
  /** Names of encrypted properties, which only the original gateway can read. */
  readonly encrypted: readonly string[];
}

/** Driver of the snapshot: new pid and protocol. */
interface KnownDriver {
  readonly pid: string;
  readonly kind: KuraDriver;
}

const OF_FRAMEWORK = /^(?:service\.|kura\.service\.|kura\.ui\.|componentId$|component\.)/;

/**
 * Converts a snapshot of Eclipse Kura: drivers and assets with their channels.
 *
 * @param text XML with the root `configurations`, as the console and the folder of snapshots have it
 * @throws {CommandError} `IMPORT_UNREADABLE`
 */
export function convertKuraSnapshot(text: string): Imported {
  const findings = new Findings();
  const components = readComponents(text);
  const assets = components.filter(({ entries }) => entries.some(([name]) => name === 'driver.pid'));
  const drivers: ImportedDriver[] = [];
  const known = new Map<string, KnownDriver>();
  const pids = { drivers: new UniquePids(), assets: new UniquePids() };
  for (const component of components.filter((each) => !assets.includes(each))) {
    const kind = kindOf(component);
    const { pid: place, factory: name } = component;
    if (kind === undefined) {
      if (isDriver(component)) findings.refuse({ place, text: name, reason: 'no driver supports this' });
      else findings.remark({ place, text: name, reason: describeKuraComponent(place, name) });
      continue;
    }
    const driver = findings.attempt({ place, text: name }, () => {
      const pid = pids.drivers.claim(place, place);
      return { pid, ...convertDriver(component, kind, { pid, findings }) };
    });
    if (driver === undefined) continue;
    known.set(place, { pid: driver.pid, kind });
    drivers.push({ place, driver });
  }
  const converted = assets.map((asset) => convertAsset(asset, known, { pids: pids.assets, findings }));
  return {
    drivers,
    assets: converted.filter((asset) => asset !== undefined),
    rest: SETTINGS_FOR_KURA_CLIENTS,
    untaken: findings.untaken,
    remarks: findings.remarks,
  };
}

function readComponents(text: string): readonly Component[] {
  const root = readRoot(text);
  if (root?.name !== 'configurations') throw unreadable('expected a snapshot with the root configurations');
  return root.children
    .filter(({ name }) => name === 'configuration')
    .map(({ attributes, children }, index) => {
      const pid = attributes['pid'] ?? '';
      if (pid === '') throw unreadable(`configuration ${index + 1} has no pid`);
      const properties = children
        .filter(({ name }) => name === 'properties')
        .flatMap((list) => list.children.filter(({ name }) => name === 'property'));
      const all = properties.map(
        (property) => [property.attributes['name'] ?? '', textOf(property)] as const,
      );
      return {
        pid,
        factory: all.find(([name]) => name === 'service.factoryPid')?.[1] ?? '',
        entries: all.filter(([name]) => !OF_FRAMEWORK.test(name)),
        encrypted: properties
          .filter((property) => property.attributes['encrypted'] === 'true' && textOf(property) !== '')
          .map((property) => property.attributes['name'] ?? ''),
      };
    });
}

function readRoot(text: string): XmlElement | undefined {
  checkElements(text);
  try {
    return parseXml(text)[0];
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw unreadable(error.message, error);
  }
}

function textOf({ children }: XmlElement): string {
  return children
    .filter(({ name }) => name === 'value')
    .map(({ text }) => text)
    .join(',');
}

function isDriver({ factory }: Component): boolean {
  return /(?:^|\.)drivers?(?:\.|$)/.test(factory);
}

function kindOf(component: Component): KuraDriver | undefined {
  if (!isDriver(component)) return undefined;
  if (/\bmodbus\b/i.test(component.factory)) return 'modbus';
  return /\bopc-?ua\b/i.test(component.factory) ? 'opcua' : undefined;
}

function convertDriver(
  component: Component,
  kind: KuraDriver,
  { pid, findings }: { readonly pid: string; readonly findings: Findings },
): Item {
  const { pid: place, entries, encrypted } = component;
  const properties = new KuraProperties(entries.filter(([name]) => !encrypted.includes(name)));
  const settings = kind === 'modbus' ? convertModbusDriver(properties) : convertOpcuaDriver(properties);
  if (pid !== place) findings.remark({ place, text: component.factory, reason: `renamed to ${pid}` });
  for (const name of properties.listRest()) {
    findings.remark({ place, text: name, reason: 'has no counterpart, or another form' });
  }
  for (const name of encrypted) {
    findings.remark({ place, text: name, reason: 'is encrypted for its original gateway' });
  }
  return settings;
}

function convertAsset(
  { pid: place, entries }: Component,
  drivers: ReadonlyMap<string, KnownDriver>,
  { pids, findings }: { readonly pids: UniquePids; readonly findings: Findings },
): ImportedAsset | undefined {
  const own = new KuraProperties(entries.filter(([name]) => !name.includes('#')));
  const channels = groupChannels(entries);
  const head = findings.attempt({ place, text: 'asset' }, () => {
    const driverPid = own.take('driver.pid') ?? '';
    const known = drivers.get(driverPid);
    if (known === undefined) throw new UnsupportedEntry(`its driver ${driverPid} is not imported`);
    const text = own.take('asset.desc') ?? own.take('kura.asset.desc');
    return { pid: pids.claim(place, place), driver: known, description: text };
  });
  if (head === undefined) {
    for (const name of channels.keys()) {
      findings.refuse({ place: `${place}/${name}`, text: 'channel', reason: 'its asset is not imported' });
    }
    return undefined;
  }
  const { pid, driver, description } = head;
  const list = new ChannelList(findings, channels.keys());
  for (const [name, properties] of channels) {
    const at = { place: `${place}/${name}`, text: 'channel' };
    const remark = (reason: string): void => findings.remark({ ...at, reason });
    list.add({ ...at, name, convert: () => convertKuraChannel(driver.kind, properties, remark) });
  }
  const isUnscaled = list.channels.some(({ channel }) => isScaledWrite(channel));
  if (isUnscaled) findings.remark({ place, text: 'asset', reason: UNSCALED_WRITES });
  if (pid !== place) findings.remark({ place, text: 'asset', reason: `renamed to ${pid}` });
  for (const name of own.listRest()) {
    findings.remark({ place, text: name, reason: 'has no counterpart: it belongs to Kura Wires' });
  }
  const asset = {
    pid,
    driver: driver.pid,
    ...(description === undefined ? {} : { description }),
    ...(isUnscaled ? { scaleOnWrite: false } : {}),
  };
  return { place, asset, channels: list.channels };
}

function groupChannels(entries: Component['entries']): ReadonlyMap<string, KuraProperties> {
  const groups = Map.groupBy(
    entries.filter(([name]) => name.includes('#')),
    ([name]) => name.slice(0, name.indexOf('#')),
  );
  return new Map(
    [...groups].map(([name, members]) => [
      name,
      new KuraProperties(members.map(([key, text]) => [key.slice(name.length + 1), text])),
    ]),
  );
}
