import { z } from '../daemon/base/schema.ts';
import { writeSchemaLine } from '../daemon/settings/editor-schema.ts';
import { gatewaySettingsSchema } from '../daemon/settings/gateway-settings.ts';

interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly enum?: readonly unknown[];
}

const HEAD = `# Configuration of the Penstock gateway; see penstock.yaml(5).
#
# Every key is shown with its default. Remove the "#" in front of a section and of the keys in it that you
# change, then run "penstockd --check-config" and "systemctl reload penstock".
`;

/** Gives the text of a `penstock.yaml` that explains every key and changes nothing. */
export function writeExampleConfiguration(): string {
  const sections = Object.entries(readProperties()).map(([key, node]) => writeKey(key, node, 0));
  return `${writeSchemaLine('penstock')}${HEAD}\n${sections.join('\n')}`;
}

/** Gives every key of `penstock.yaml` by its path, with what it means and its default. */
export function listSettings(): readonly { readonly path: string; readonly node: SchemaNode }[] {
  const walk = (
    nodes: Readonly<Record<string, SchemaNode>>,
    prefix: string,
  ): ReturnType<typeof listSettings> =>
    Object.entries(nodes).flatMap(([key, node]) =>
      node.properties === undefined
        ? [{ path: `${prefix}${key}`, node }]
        : walk(node.properties, `${prefix}${key}.`),
    );
  return walk(readProperties(), '');
}

function readProperties(): Readonly<Record<string, SchemaNode>> {
  const schema = z.toJSONSchema(gatewaySettingsSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  return schema.properties ?? {};
}

function writeKey(key: string, node: SchemaNode, depth: number): string {
  const indent = '  '.repeat(depth);
  if (node.properties !== undefined) {
    const inner = Object.entries(node.properties).map(([name, child]) => writeKey(name, child, depth + 1));
    return `${describe(node, indent)}#${indent}${key}:\n${inner.join('')}`;
  }
  const value = node.default === undefined ? '' : ` ${JSON.stringify(node.default)}`;
  return `${describe(node, indent)}#${indent}${key}:${value}\n`;
}

function describe(node: SchemaNode, indent: string): string {
  if (node.description === undefined) return '';
  const choices = node.enum === undefined ? '' : ` (${node.enum.join(', ')})`;
  return `# ${indent}${node.description}${choices}\n`;
}
