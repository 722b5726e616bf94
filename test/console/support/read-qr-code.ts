import jsqr from 'jsqr';
import type { Locator } from 'playwright-core';

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: readonly number[];
}

/** Returns the text of a QR code as a camera sees it on the page; undefined when there is none that can be read. */
export async function readQrCode(code: Locator): Promise<string | undefined> {
  const picture = (await code.screenshot()).toString('base64');
  const { width, height, data } = await code.page().evaluate<Pixels>(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${picture}';
    await picture.decode();
    const { naturalWidth: width, naturalHeight: height } = picture;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(picture, 0, 0);
    return { width, height, data: [...context.getImageData(0, 0, width, height).data] };
  })()`);
  // Its types say that the module is the function; as a module of CommonJS, it has the function in it.
  return jsqr.default(Uint8ClampedArray.from(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}
