import {
  confirmChange,
  listSnapshots,
  readConfiguration,
  readItem,
  readSection,
  removeItem,
  replaceConfiguration,
  replaceItem,
  replaceSection,
  rollBack,
  readConfigurationSchema,
} from '../../interface/configuration/configuration.ts';
import type { SnapshotHead } from '../../interface/configuration/configuration.ts';
import type { Endpoint, ParametersOf } from '../../interface/endpoint.ts';
import { readTagSheet, replaceTagSheet } from '../../interface/plant/tag-sheets.ts';
import { CHANGE_OPTIONS, makeChange } from './change.ts';
import type { Change } from './change.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { setKey } from './configuration-key.ts';
import { driftCommand, pruneCommand } from './drift.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { formatTable } from '../terminal/table.ts';
import { readTextFile } from '../terminal/text-file.ts';
import { formatYaml } from '../../settings/yaml-document.ts';
import { describeProvisionFile, describeSettingsFile } from '../../settings/editor-schema.ts';
import { describeTemplateFile } from '../../plant/template/template-schema.ts';
import { UsageError } from '../command-error.ts';
import { suggest } from '../terminal/suggestion.ts';

/** Reads and changes the managed configuration. */
export const configuration = createCommandGroup('config', 'read and change the managed configuration', {
  get: {
    parameters: '[SECTION] [PID]',
    names: ['section'],
    summary: 'print the configuration, a section or an item, as YAML',
    text: '"penstock config replace" accepts this output. Secrets are not shown.',
    examples: ['penstock config get rest', 'penstock config get assets heating'],
    run: async ({ client, words, show }) => {
      show(await client.call(...readingOf(words)), formatYaml);
    },
  },
  set: {
    parameters: 'PATH [VALUE]',
    names: ['key'],
    summary: 'change one key',
    text: 'PATH is a section and its keys, separated by dots. For drivers and assets, the pid follows the section; for a channel, then "channels" and its name. Secrets are not accepted on the command line: "-" prompts for one, @FILE reads it from a file.',
    options: {
      unset: { help: 'reset the key to its default' },
      ...CHANGE_OPTIONS,
    },
    examples: [
      'penstock config set rest.basicAuthenticationEnabled true',
      'penstock config set rest.allowedPorts 4443',
      'penstock config set drivers.plc.responseTimeoutMs 2000',
      'penstock config set assets.heating.channels.flow.valueScale 0.1',
      'penstock config set rest.allowedPorts --unset',
    ],
    run: setKey,
  },
  replace: {
    parameters: 'FILE [SECTION] [PID]',
    names: ['file', 'section'],
    summary: 'replace the configuration, a section or an item with a YAML or JSON file ("-": stdin)',
    text: 'Omitted keys are reset to their defaults.',
    options: CHANGE_OPTIONS,
    examples: ['penstock config replace heating.yaml assets heating'],
    run: async (invocation) => {
      const [file = '-', ...where] = invocation.words;
      const body = await readTextFile(file);
      await makeChange(invocation, { ...replacingOf(where), body, type: 'application/yaml' });
    },
  },
  delete: {
    parameters: 'SECTION PID',
    names: ['section'],
    summary: 'delete an item of a section',
    options: CHANGE_OPTIONS,
    run: (invocation) => {
      const [section = '', pid = ''] = invocation.words;
      const named = [`asset ${pid}`];
      return makeChange(invocation, { endpoint: removeItem, parameters: { section, pid }, named });
    },
  },
  confirm: {
    parameters: '[SNAPSHOT]',
    summary: 'confirm a change made with --confirm-within',
    text: 'With SNAPSHOT it fails if the pending change has a different number.',
    run: async ({ client, terminal, words: [id] }) => {
      await client.call(confirmChange, id === undefined ? {} : { snapshot: id });
      terminal.note('confirmed\n');
    },
  },
  schema: {
    parameters: '[FILES]',
    summary: 'print the JSON Schema of the configuration, or of files for editors',
    text: 'FILES is penstock, provision or template. The schema includes the drivers of packages.',
    examples: ['penstock config schema', 'penstock config schema provision'],
    run: printSchema,
  },
  drift: driftCommand,
  prune: pruneCommand,
  snapshots: {
    parameters: '',
    summary: 'list the previous configurations, newest first',
    run: async ({ client, show }) => {
      show(await client.call(listSnapshots), formatSnapshots);
    },
  },
  rollback: {
    parameters: 'SNAPSHOT',
    summary: 'restore a previous configuration',
    options: CHANGE_OPTIONS,
    run: (invocation) => {
      const [id = ''] = invocation.words;
      return makeChange(invocation, { endpoint: rollBack, parameters: { id } });
    },
  },
  'tags-get': {
    parameters: 'PID',
    names: ['asset'],
    summary: 'print the channels of an asset as a tag sheet (CSV)',
    run: async ({ client, words: [pid = ''], show }) => {
      show(await client.call(readTagSheet, { pid }), (sheet) => sheet);
    },
  },
  'tags-set': {
    parameters: 'PID FILE',
    names: ['asset', 'file'],
    summary: 'replace the channels of an asset with those of a tag sheet (CSV; "-": stdin)',
    options: CHANGE_OPTIONS,
    run: replaceChannels,
  },
});

async function replaceChannels(invocation: Invocation): Promise<void> {
  const [pid = '', file = '-'] = invocation.words;
  const body = await readTextFile(file);
  await makeChange(invocation, { endpoint: replaceTagSheet, parameters: { pid }, body, type: 'text/csv' });
}

/** Returns the endpoint and parameters to read the configuration, a section or an item. */
function readingOf([section, pid]: readonly string[]): readonly [Endpoint, ParametersOf<Endpoint>] {
  if (section === undefined) return [readConfiguration, {}];
  return pid === undefined ? [readSection, { section }] : [readItem, { section, pid }];
}

/** Returns the endpoint and parameters to replace the configuration, a section or an item. */
function replacingOf([section, pid]: readonly string[]): Pick<Change, 'endpoint' | 'parameters'> {
  if (section === undefined) return { endpoint: replaceConfiguration };
  return pid === undefined
    ? { endpoint: replaceSection, parameters: { section } }
    : { endpoint: replaceItem, parameters: { section, pid } };
}

function formatSnapshots({ snapshots }: { readonly snapshots: readonly SnapshotHead[] }): string {
  return formatTable<SnapshotHead>(
    [
      { title: 'SNAPSHOT', show: ({ id }) => id },
      { title: 'MADE', show: ({ createdAt }) => formatLocalTime(createdAt) },
      { title: 'BY', show: ({ author }) => author, isOptional: true },
    ],
    snapshots,
  );
}

type Schema = Readonly<Record<string, unknown>>;

const KINDS = {
  penstock: describeSettingsFile,
  provision: describeProvisionFile,
  template: describeTemplateFile,
} satisfies Readonly<Record<string, (configuration: Schema) => Schema>>;

/** Prints the configuration schema of the gateway, or that of a file type for editors. */
async function printSchema({ client, words: [kind], show }: Invocation): Promise<void> {
  const describe = kind === undefined ? undefined : findKind(kind);
  const managed = kind === 'template' ? {} : await client.call(readConfigurationSchema);
  const schema = describe === undefined ? managed : describe(managed as Schema);
  show(schema, (value) => `${JSON.stringify(value, null, 2)}\n`);
}

function findKind(kind: string): (configuration: Schema) => Schema {
  const found = Object.entries(KINDS).find(([name]) => name === kind);
  if (found !== undefined) return found[1];
  const known = Object.keys(KINDS);
  throw new UsageError(`unknown schema "${kind}"${suggest(kind, known)}`);
}
