import { useMemo } from 'preact/hooks';

import { listItems, listNames, SECTIONS } from '../../forms/change/edit-target.ts';
import type { Document, EditTarget } from '../../forms/change/edit-target.ts';
import { narrowAddresses } from '../../forms/editor/schema-at.ts';
import type { TextSchema } from '../../forms/editor/schema-completion.ts';
import type { Schema } from '../../forms/schema.ts';

/** Returns the schema of a target's text, and the names that its values can reference; undefined until it is loaded. */
export function useTargetSchema(
  target: EditTarget,
  {
    schema,
    document,
    driver,
  }: { readonly schema: Schema | undefined; readonly document: Document; readonly driver: unknown },
): TextSchema | undefined {
  const known = target[0] === 'assets' ? listItems(document, 'drivers') : [];
  const driverType = known.find(({ pid }) => pid === driver)?.['type'];
  return useMemo(() => {
    if (schema === undefined) return undefined;
    const part = getSchema(schema, target);
    return {
      schema: typeof driverType === 'string' ? narrowAddresses(part, driverType) : part,
      listReferences: (path) => {
        const [section, last] = [target[0] ?? path[0], path.at(-1)];
        return section === 'assets' && last === 'driver' ? listNames(document, 'drivers') : undefined;
      },
    };
  }, [schema, document, target.join('\n'), driverType]);
}

function getSchema(schema: Schema, [section, pid]: EditTarget): Schema {
  const { properties = {} } = schema;
  // Identities exist in gateway files only: requests with them are rejected.
  const sections = SECTIONS.map(({ name }) => [name, properties[name] ?? {}] as const);
  if (section === undefined) return { ...schema, properties: Object.fromEntries(sections) };
  const part = properties[section] ?? {};
  return pid === undefined ? part : (part.items ?? {});
}
