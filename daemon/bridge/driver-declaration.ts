import { z } from '../base/schema.ts';
import { parseDeclaredSchema } from './declared-schema.ts';

/** A kind of driver as a bundle declares it. */
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

/** The checks that a declaration asks for. */
export interface DriverSchemas {
  readonly settings: z.ZodType;
  readonly address: z.ZodType;
}

/** @throws {InvalidRequest} `SCHEMA_NOT_SUPPORTED` */
export function parseDeclaration({ settings, address }: DriverDeclaration): DriverSchemas {
  return {
    settings: parseDeclaredSchema('settings', settings),
    address: parseDeclaredSchema('address', address),
  };
}

/** Gives the checks of a declaration that was kept; one that this release does not understand takes any object. */
export function restoreDeclaration(declaration: DriverDeclaration): DriverSchemas {
  try {
    return parseDeclaration(declaration);
  } catch {
    return { settings: z.looseObject({}), address: z.looseObject({}) };
  }
}

/**
 * Loosens a check: what fits is completed with its defaults as ever, what does not fit passes as it is.
 *
 * So a gateway starts with a configuration that was written for an earlier version of a bundle; the driver refuses it then.
 */
export function toLenient(schema: z.ZodType): z.ZodType {
  return z.unknown().transform((value) => {
    const result = schema.safeParse(value);
    return result.success ? result.data : value;
  });
}
