import { removeItem, replaceItem } from '../../interface/configuration/configuration.ts';
import { listDrivers, testDriver } from '../../interface/plant/drivers.ts';
import { CHANGE_OPTIONS, makeChange } from '../configuration/change.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { checkNew, fetchItems, getItem, listPids } from '../configuration/configured-item.ts';
import { BROWSE_OPTIONS, browseTree } from './driver-browse.ts';
import { describeTest, formatDrivers } from './driver-text.ts';
import { TRUST_OPTIONS, trustDevice } from './driver-trust.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import { listSettings } from '../configuration/setting.ts';
import { applySettings, unsetSetting } from '../configuration/setting-edit.ts';
import { formatSettings } from '../configuration/setting-value.ts';

/** Option that resets a setting to its default. */
export const UNSET = {
  unset: { value: 'SETTING', help: 'reset a setting to its default', isRepeated: true },
} as const;

/** Adds, changes, removes, lists and tests drivers: the connections to devices. */
export const driver = createCommandGroup('driver', 'add, change, remove and test connections to devices', {
  list: {
    parameters: '',
    summary: 'list the drivers with the state of their connections',
    run: async ({ client, show }) => {
      show(await client.call(listDrivers), formatDrivers);
    },
  },
  add: {
    parameters: 'PID',
    summary: 'add a driver: a connection to a device or a serial line',
    options: {
      type: { value: 'TYPE', help: 'driver type, for example modbus', names: 'driverType' },
      ...CHANGE_OPTIONS,
    },
    settings: 'driver',
    examples: [
      'penstock driver add plc --type modbus --host 192.0.2.20',
      'penstock driver add line1 --type modbus --transport rtu --device /dev/ttyUSB0',
    ],
    run: addDriver,
  },
  set: {
    parameters: 'PID',
    names: ['driver'],
    summary: 'change settings of a driver; the others stay unchanged',
    options: { ...UNSET, ...CHANGE_OPTIONS },
    settings: 'driver',
    examples: ['penstock driver set plc --responseTimeoutMs 2000', 'penstock driver set plc --unset port'],
    run: setDriver,
  },
  remove: {
    parameters: 'PID',
    names: ['driver'],
    summary: 'remove a driver that no asset uses',
    options: CHANGE_OPTIONS,
    run: async (invocation) => {
      const { client, words } = invocation;
      const [pid = ''] = words;
      const drivers = await fetchItems(client, 'drivers');
      getItem(drivers, 'driver', pid);
      const users = (await fetchItems(client, 'assets')).items.filter((asset) => asset['driver'] === pid);
      if (users.length > 0) {
        const pids = listPids(users).slice(0, 10).join(', ');
        const detail = `${pid} is used by ${pids}; remove these assets first with "penstock asset remove"`;
        throw new CommandError({ code: 'DRIVER_USED', detail });
      }
      const parameters = { section: 'drivers', pid };
      await makeChange(invocation, { endpoint: removeItem, parameters, etag: drivers.etag });
    },
  },
  test: {
    parameters: 'PID',
    names: ['driver'],
    summary: 'connect, send one request and print the result',
    text: 'Reads one channel of an asset of the driver; without an asset, a value that most devices provide.',
    run: async ({ client, words: [pid = ''], show }) => {
      getItem(await fetchItems(client, 'drivers'), 'driver', pid);
      const test = await client.call(testDriver, { pid });
      show(test, (result) => describeTest(result, pid));
      if (test.outcome !== 'FAILED') return;
      throw new CommandError({ code: 'TEST_FAILED', detail: `the test of ${pid} failed` });
    },
  },
  browse: {
    parameters: 'PID [NODE]',
    names: ['driver'],
    summary: 'list the children of a node on a device, over the connection of the driver',
    text: 'Without NODE it lists the root. NODE is a value of the last column of the list; quote it because of the semicolon.',
    options: BROWSE_OPTIONS,
    examples: ['penstock driver browse plc', "penstock driver browse plc 'nsu=urn:maker:device;s=Boiler'"],
    run: browseTree,
  },
  trust: {
    parameters: 'PID',
    names: ['driver'],
    summary: 'show the certificate of a device and ask whether to trust it',
    text: 'Compare the fingerprint with the one that the device displays. The gateway then trusts exactly this certificate, for every driver of this type, and connects automatically.',
    options: TRUST_OPTIONS,
    examples: ['penstock driver trust plc'],
    run: trustDevice,
  },
  settings: {
    parameters: '[TYPE]',
    names: ['driverType'],
    summary: 'list the driver types, or the settings of one',
    run: async ({ client, words: [type], show }) => {
      const schema = await fetchSchema(client);
      if (type === undefined) {
        show(schema.driverTypes, (types) => types.map((each) => `${each}\n`).join(''));
        return;
      }
      show(listSettings(schema.getDriver(type)), formatSettings);
    },
  },
});

async function addDriver(invocation: Invocation): Promise<void> {
  const { client, words, options, settings, terminal } = invocation;
  const [pid = ''] = words;
  const schema = await fetchSchema(client);
  const { type } = options;
  if (typeof type !== 'string') {
    throw new UsageError(`--type is missing; expected one of ${schema.driverTypes.join(', ')}`);
  }
  const known = listSettings(schema.getDriver(type)).filter(({ path }) => path !== 'pid');
  const drivers = await fetchItems(client, 'drivers');
  checkNew(drivers, 'driver', pid);
  await makeChange(invocation, {
    endpoint: replaceItem,
    described: 'driver',
    parameters: { section: 'drivers', pid },
    body: await applySettings({ pid, type }, settings, { known, terminal }),
    etag: drivers.etag,
    next: `"penstock driver test ${pid}" sends one request to the device`,
  });
}

async function setDriver(invocation: Invocation): Promise<void> {
  const { client, words, options, settings, terminal } = invocation;
  const [pid = ''] = words;
  const drivers = await fetchItems(client, 'drivers');
  const before = getItem(drivers, 'driver', pid);
  const schema = (await fetchSchema(client)).getDriver(String(before['type']));
  const known = listSettings(schema).filter(({ path }) => path !== 'pid' && path !== 'type');
  const set = await applySettings(before, settings, { known, terminal });
  const removed = (options['unset'] ?? []) as readonly string[];
  if (settings.length + removed.length === 0) throw new UsageError('no setting given');
  await makeChange(invocation, {
    endpoint: replaceItem,
    described: 'driver',
    parameters: { section: 'drivers', pid },
    body: removed.reduce((item, name) => unsetSetting(item, name, known), set),
    etag: drivers.etag,
  });
}
