import { z } from '../../base/schema.ts';
import { parseDeclaredSchema } from '../bundle/declared-schema.ts';

const SETTINGS_OF_EVERY_DRIVER: ReadonlySet<string> = new Set(['pid', 'type', 'callDeadlineMs']);

/** Driver type as a bundle declares it. */
export interface DriverDeclaration {
  /** Value of `type` in configurations. */
  readonly type: string;
  /** Symbolic name of the bundle. */
  readonly bundle: string;
  /** JSON Schema of the settings of one connection. */
  readonly settings: unknown;
  /** JSON Schema of the address of one channel. */
  readonly address: unknown;
}

/** Schemas of a declaration. */
export interface DriverSchemas {
  readonly settings: z.ZodType;
  readonly address: z.ZodType;
}

/**
 * Parses the schemas of a declaration.
 *
 * @throws {InvalidRequest} `SCHEMA_NOT_SUPPORTED`
 */
export function parseDeclaration({ settings, address }: DriverDeclaration): DriverSchemas {
  return {
    settings: parseDeclaredSchema('settings', settings, SETTINGS_OF_EVERY_DRIVER),
    address: parseDeclaredSchema('address', address, SETTINGS_OF_EVERY_DRIVER),
  };
}

/** Parses the schemas of a stored declaration. Schemas that this release does not support accept any object. */
export function restoreDeclaration(declaration: DriverDeclaration): DriverSchemas {
  try {
    return parseDeclaration(declaration);
  } catch {
    return { settings: z.looseObject({}), address: z.looseObject({}) };
  }
}

/**
 * Creates a lenient schema: a valid value gets its defaults as usual, an invalid value passes unchanged.
 *
 * A gateway can then start with a configuration for an earlier version of a bundle; the driver rejects it on connect.
 */
export function toLenient(schema: z.ZodType): z.ZodType {
  return z.unknown().transform((value) => {
    const result = schema.safeParse(value);
    return result.success ? result.data : value;
  });
}
