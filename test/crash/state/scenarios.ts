import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Scenario } from '../subject.ts';
import { PASSWORDS } from './passwords.ts';

const [FORMER, NEW] = PASSWORDS;

const line = { pid: 'line1', type: 'modbus', host: '127.0.0.1', port: 1 };
const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' };
const flow = { name: 'flow', type: 'READ', valueType: 'INTEGER', address };
// Longer than a page of the database, so that a document is written in several parts.
const channels = Array.from({ length: 60 }, (_, index) => ({ ...flow, name: `flow${index}` }));
const former = { drivers: [line], assets: [{ pid: 'boiler', driver: 'line1', channels }] };
const wanted = {
  ...former,
  rest: { basicAuthenticationEnabled: true },
  assets: [{ pid: 'boiler', driver: 'line1', channels: channels.slice(1) }],
};
const provision = {
  banners: { preLogin: { enabled: true, message: 'provisioned' } },
  identities: [{ name: 'historian', permissions: ['rest.assets'], password: FORMER }],
  assets: [{ pid: 'boiler', driver: 'line1', channels: channels.slice(2) }],
};
const vanishing = { identities: provision.identities };
const sheet =
  'name,type,valueType,address.table,address.offset,address.dataType\nflow,READ,INTEGER,HOLDING_REGISTERS,7,INT16\n';

/** Writes the files of all scenarios, and returns the scenarios. */
export function prepareState(directory: string): readonly Scenario[] {
  mkdirSync(directory, { recursive: true });
  const write = (name: string, content: unknown): string => {
    const file = path.join(directory, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const documentFile = write('former.json', former);
  const wantedFile = write('wanted.json', wanted);
  const sheetFile = write('tags.csv', sheet);
  const settingsFile = write('penstock.yaml', { provision });
  const emptierFile = write('emptier.yaml', { provision: vanishing });
  const emptyFile = write('empty.yaml', { provision: {} });
  const configured = [['apply', documentFile]];
  const people = [...configured, ['create', 'scada', FORMER, 'rest.assets']];
  const enrolled = [...people, ['factor', 'scada', FORMER]];
  const provisioned = { preparation: configured, restart: ['provision', settingsFile] };
  return [
    { name: 'first start', preparation: [], operation: ['start'] },
    { name: 'apply', preparation: configured, operation: ['apply', wantedFile] },
    { name: 'rollback', preparation: [...configured, ['apply', wantedFile]], operation: ['rollback', '1'] },
    { name: 'unconfirmed', preparation: configured, operation: ['try', wantedFile] },
    { name: 'confirm', preparation: configured, operation: ['confirm', wantedFile] },
    { name: 'revert', preparation: configured, operation: ['revert', wantedFile] },
    { name: 'tag sheet', preparation: configured, operation: ['tags', 'boiler', sheetFile] },
    { name: 'provision', ...provisioned, operation: ['provision', settingsFile] },
    {
      name: 'prune',
      preparation: [...configured, ['provision', settingsFile]],
      operation: ['prune', emptierFile],
    },
    {
      // Identities go one by one after the change; where that was cut off, another call does the rest.
      name: 'prune with identities',
      preparation: [...configured, ['provision', settingsFile]],
      operation: ['prune', emptyFile],
      restart: ['prune', emptyFile],
    },
    { name: 'reload', ...provisioned, operation: ['reload', settingsFile] },
    { name: 'create', preparation: configured, operation: ['create', 'scada', FORMER, 'rest.assets'] },
    { name: 'permit', preparation: people, operation: ['permit', 'scada', 'rest.admin'] },
    { name: 'password', preparation: people, operation: ['password', 'scada', FORMER, NEW] },
    { name: 'second factor', preparation: people, operation: ['factor', 'scada', FORMER] },
    { name: 'code', preparation: enrolled, operation: ['login', 'scada', FORMER] },
    { name: 'reset', preparation: people, operation: ['reset', 'scada', NEW] },
    { name: 'rescue', preparation: configured, operation: ['reset', 'admin', NEW] },
    { name: 'delete', preparation: people, operation: ['delete', 'scada'] },
  ];
}
