import { describeProvisionFile, describeSettingsFile } from '../settings/editor-schema.ts';
import { describeTemplateFile } from '../template/template-schema.ts';
import { readConfigurationSchema } from '../interface/configuration.ts';
import type { Invocation } from './client-verb.ts';
import { UsageError } from './command-error.ts';
import { suggest } from './suggestion.ts';

type Schema = Readonly<Record<string, unknown>>;

const KINDS = {
  penstock: describeSettingsFile,
  provision: describeProvisionFile,
  template: describeTemplateFile,
} satisfies Readonly<Record<string, (configuration: Schema) => Schema>>;

/** Prints the JSON Schema of the configuration as the gateway describes it, or of one kind of files for editors. */
export async function printSchema({ client, words: [kind], show }: Invocation): Promise<void> {
  const describe = kind === undefined ? undefined : findKind(kind);
  const configuration = kind === 'template' ? {} : await client.call(readConfigurationSchema);
  const schema = describe === undefined ? configuration : describe(configuration as Schema);
  show(schema, (value) => `${JSON.stringify(value, null, 2)}\n`);
}

function findKind(kind: string): (configuration: Schema) => Schema {
  const found = Object.entries(KINDS).find(([name]) => name === kind);
  if (found !== undefined) return found[1];
  const known = Object.keys(KINDS);
  throw new UsageError(`no schema "${kind}"${suggest(kind, known)}`);
}
