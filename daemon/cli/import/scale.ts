import { NotTaken } from './imported.ts';
import type { Item } from './imported.ts';

/**
 * Returns the scaling of a channel; nothing where it changes no value.
 *
 * @throws {NotTaken} for numbers beyond all that can be calculated with
 */
export function scaleFields(scale: number, offset: number): Item {
  if (!Number.isFinite(scale) || !Number.isFinite(offset)) throw new NotTaken('its scaling is too large');
  return {
    ...(scale === 1 ? {} : { valueScale: scale }),
    ...(offset === 0 ? {} : { valueOffset: offset }),
  };
}
