import type { Item } from './imported.ts';

/** Returns the scaling of a channel; nothing where it changes no value. */
export function scaleFields(scale: number, offset: number): Item {
  return {
    ...(scale === 1 ? {} : { valueScale: scale }),
    ...(offset === 0 ? {} : { valueOffset: offset }),
  };
}
