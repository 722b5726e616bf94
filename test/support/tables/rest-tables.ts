import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { writeDescription } from '../../../packaging/interface-description.ts';
import { formatTable, toAnchor, toSentence } from './markdown.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Returns the tables of the REST interface by name: endpoints, query parameters and records. */
export async function writeRestTables(): Promise<Readonly<Record<string, string>>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'penstock-tables-'));
  try {
    const { paths, components } = JSON.parse(await writeDescription(directory)) as Description;
    const operations = Object.entries(paths)
      .flatMap(([template, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ method, template, operation })),
      )
      .toSorted((one, other) => (one.template < other.template ? -1 : 1));
    return {
      endpoints: writeEndpoints(operations),
      'query parameters': writeParameters(operations),
      records: writeRecords(components.schemas),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Entry {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

function writeEndpoints(entries: readonly Entry[]): string {
  return formatTable({
    headings: ['method', 'path', 'permission', 'request', 'success', 'response', 'purpose'],
    rows: entries.map(({ method, template, operation }) => {
      const [status = '', response] =
        Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
      return [
        method.toUpperCase(),
        `\`${template}\``,
        toPermission(operation),
        describeContent(operation.requestBody?.content),
        status,
        describeContent(response?.content),
        operation.summary,
      ];
    }),
  });
}

function toPermission({ description = '' }: Operation): string {
  const [, permission] = /permission (\S+)\.$/.exec(description) ?? [];
  return permission === undefined
    ? description.replace(/\.$/, '').toLowerCase() || 'none'
    : `\`${permission}\``;
}

function describeContent(content: Content = {}): string {
  return Object.entries(content)
    .map(([type, { schema }]) =>
      type === 'application/json' && schema !== undefined ? describeType(schema) : `\`${type}\``,
    )
    .join(', ');
}

function writeParameters(entries: readonly Entry[]): string {
  return formatTable({
    headings: ['endpoint', 'parameter', 'type', 'meaning'],
    rows: entries.flatMap(({ method, template, operation }) =>
      operation.parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, required, description, schema }) => {
          const endpoint = `${method.toUpperCase()} ${template}`;
          if (description === undefined)
            throw new Error(`the parameter ${name} of ${endpoint} has no description`);
          return [
            `\`${endpoint}\``,
            `\`${name}\`${required === true ? '' : '?'}`,
            describeType(schema),
            toSentence(description),
          ];
        }),
    ),
  });
}

function writeRecords(schemas: Readonly<Record<string, Schema>>): string {
  return Object.entries(schemas)
    .map(([name, schema]) => `### ${name}\n\n${writeRecord(schema)}`)
    .join('\n\n');
}

function writeRecord(schema: Schema): string {
  const { description = '', properties, required = [] } = schema;
  if (properties === undefined)
    return toSentence(`${describeType(schema)}${description === '' ? '' : `: ${description}`}`);
  return formatTable({
    headings: ['field', 'type', 'meaning'],
    rows: Object.entries(properties).map(([name, field]) => [
      `\`${name}\`${required.includes(name) ? '' : '?'}`,
      describeType(field),
      toSentence(field.description ?? ''),
    ]),
  });
}

function describeType(schema: Schema): string {
  const { $ref, type, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.replace('#/components/schemas/', '');
    return `[${name}](#${toAnchor(name)})`;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(describeType))].join(' or ');
  if (items !== undefined) return `list of ${describeType(items)}`;
  if (
    typeof additionalProperties === 'object' &&
    schema.properties === undefined &&
    'type' in additionalProperties
  )
    return `object of ${describeType(additionalProperties)}`;
  if (type === undefined) return 'any';
  return typeof type === 'string' ? type : type.join(' or ');
}
