import { createRequire, registerHooks } from 'node:module';
import type modbusSerial from 'modbus-serial';

type Library = typeof modbusSerial.default;

/**
 * Returns modbus-serial. It is loaded with the first connection that is opened: a gateway without Modbus spends neither
 * time nor memory on it, and its Buffer has no methods of the library.
 *
 * The library for serial lines stays out, with its binary: modbus-serial does without it where it is not installed, and
 * here only requests and answers pass through it.
 */
export function loadLibrary(): Library {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'serialport') throw new Error('modbus-serial opens no line');
      return next(specifier, context);
    },
  });
  try {
    return createRequire(import.meta.url)('modbus-serial') as Library;
  } finally {
    hooks.deregister();
  }
}
