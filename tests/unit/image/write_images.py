"""Writes pictures with Pillow, each beside NAME.expected: height, width, channels (int32) and the pixels that Pillow
reads back; and resized ones beside the result of Pillow and, where it is installed, of PyTorch.
usage: write_images.py FOLDER"""
import os
import sys

import numpy as np
from PIL import Image, ImageOps

folder = sys.argv[1]
random = np.random.default_rng(0)
listing = []


def smooth(height, width, channels):
    y, x = np.mgrid[0:height, 0:width]
    planes = [127 + 120 * np.sin(x / (3.0 + c) + y / (5.0 - c)) for c in range(channels)]
    return np.stack(planes, axis=-1).astype(np.uint8)


def expect(name, turns=0):
    picture = ImageOps.exif_transpose(Image.open(f"{folder}/{name}"))
    gray = picture.mode in ("1", "L", "LA", "I;16", "I")
    if picture.mode in ("I;16", "I"):  # 16 bits to 8, rounded
        pixels = ((np.asarray(picture).astype(np.int64) * 255 + 32767) // 65535).astype(np.uint8)[..., None]
    else:
        pixels = np.asarray(picture.convert("L" if gray else "RGB"))
        pixels = pixels.reshape(pixels.shape[0], pixels.shape[1], -1)
    pixels = np.ascontiguousarray(np.rot90(pixels, turns))
    with open(f"{folder}/{name}.expected", "wb") as out:
        out.write(np.array(pixels.shape, dtype="<i4").tobytes() + pixels.tobytes())
    listing.append(name)


def save(name, pixels, mode, **options):
    pixels = pixels[..., 0] if pixels.shape[-1] == 1 else pixels
    Image.fromarray(pixels, mode).save(f"{folder}/{name}", **options)
    expect(name)


for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    save(f"turned{orientation}.jpg", smooth(24, 16, 3), "RGB", quality=95, exif=exif)
save("gray.png", smooth(9, 7, 1), "L")
save("color.png", smooth(9, 7, 3), "RGB")
save("alpha.png", smooth(9, 7, 4), "RGBA")
save("gray_alpha.png", smooth(9, 7, 2), "LA")
save("large.png", random.integers(0, 256, (301, 203, 3), dtype=np.uint8), "RGB")
save("gray.jpg", smooth(19, 17, 1), "L", quality=90)
save("color.jpg", smooth(19, 17, 3), "RGB", quality=90)
save("progressive.jpeg", smooth(40, 50, 3), "RGB", quality=70, progressive=True)
Image.fromarray(smooth(12, 10, 3), "RGB").quantize(16).save(f"{folder}/palette.png")
expect("palette.png")
Image.fromarray(smooth(12, 10, 1)[..., 0] > 127).save(f"{folder}/bits.png")
expect("bits.png")
Image.fromarray(random.integers(0, 65536, (6, 5), dtype=np.uint16)).save(f"{folder}/sixteen.png")
expect("sixteen.png")
Image.fromarray(smooth(16, 16, 4), "CMYK").save(f"{folder}/inks.jpg", quality=100)
for ending, options in (("bmp", {}), ("tif", {"compression": None}), ("lzw.tif", {"compression": "tiff_lzw"}),
                        ("bits.tiff", {"compression": "packbits"}), ("deflate.tif", {"compression": "tiff_adobe_deflate"}),
                        ("differences.tif", {"compression": "tiff_lzw", "tiffinfo": {317: 2}})):
    save(f"gray.{ending}", smooth(19, 17, 1), "L", **options)
    save(f"color.{ending}", smooth(60, 301, 3), "RGB", **options)
    save(f"noise.{ending}", random.integers(0, 256, (70, 93, 3), dtype=np.uint8), "RGB", **options)
    if ending != "differences.tif":
        Image.fromarray(smooth(12, 10, 3), "RGB").quantize(16).save(f"{folder}/palette.{ending}", **options)
        expect(f"palette.{ending}")
        Image.fromarray(smooth(12, 10, 1)[..., 0] > 127).save(f"{folder}/two.{ending}", **options)
        expect(f"two.{ending}")
    if ending != "bmp":
        save(f"alpha.{ending}", smooth(9, 7, 4), "RGBA", **options)
        Image.fromarray(random.integers(0, 65536, (6, 5), dtype=np.uint16)).save(f"{folder}/sixteen.{ending}", **options)
        expect(f"sixteen.{ending}")
# versions of Pillow differ in what they turn: the orientation is written after the pixels were read back
Image.fromarray(smooth(24, 16, 3), "RGB").save(f"{folder}/turned.tif", tiffinfo={274: 1})
expect("turned.tif", -1)
content = open(f"{folder}/turned.tif", "rb").read()
upright, right = (np.array([274, 3, 1, 0, way, 0], "<u2").tobytes() for way in (1, 6))
assert content.count(upright) == 1
open(f"{folder}/turned.tif", "wb").write(content.replace(upright, right))
save("alpha.bmp", smooth(9, 7, 4), "RGBA")
open(f"{folder}/listing", "w").write("\n".join(listing) + "\n")

os.mkdir(f"{folder}/classes")
for kind in ("dog", "cat", "empty", ".hidden"):
    os.mkdir(f"{folder}/classes/{kind}")
for name in ("dog/b.png", "dog/a.PNG", "cat/10.png", "cat/9.png", ".hidden/x.png"):
    Image.fromarray(smooth(8, 8, 1)[..., 0]).save(f"{folder}/classes/{name}")
open(f"{folder}/classes/cat/notes.txt", "w").write("not a picture")
os.mkdir(f"{folder}/flat")
Image.fromarray(smooth(8, 9, 1)[..., 0]).save(f"{folder}/flat/1.png")
Image.fromarray(smooth(8, 9, 3)).save(f"{folder}/flat/2.jpg")
os.mkdir(f"{folder}/both")
os.mkdir(f"{folder}/both/deep")
Image.fromarray(smooth(8, 9, 3)).save(f"{folder}/both/1.png")
Image.fromarray(smooth(8, 9, 3)).save(f"{folder}/both/deep/2.png")
os.mkdir(f"{folder}/no_pictures")

try:
    import torch
except ImportError:
    torch = None
with open(f"{folder}/resizes", "wb") as out:
    for height, width, channels in [(28, 28, 1), (32, 32, 3), (64, 64, 3), (100, 37, 3), (31, 200, 1), (1, 1, 3), (33, 5, 1)]:
        pixels = random.integers(0, 256, (height, width, channels), dtype=np.uint8)
        planes = [Image.fromarray(pixels[..., c].astype(np.float32), "F").resize((32, 32), Image.BILINEAR)
                  for c in range(channels)]
        pillow = np.stack([np.asarray(p) for p in planes], axis=-1) / np.float32(255)
        answers = [pillow]
        if torch is not None:
            tensor = torch.from_numpy(pixels.astype(np.float32) / 255).permute(2, 0, 1)[None]
            shrinks = height > 32 or width > 32
            answer = torch.nn.functional.interpolate(tensor, size=(32, 32), mode="bilinear", align_corners=False,
                                                     antialias=shrinks)
            answers.append(answer[0].permute(1, 2, 0).numpy())
        out.write(np.array([height, width, channels, len(answers)], dtype="<i4").tobytes() + pixels.tobytes())
        for answer in answers:
            out.write(np.ascontiguousarray(answer).astype("<f4").tobytes())
Image.fromarray(smooth(40, 30, 3)).save(f"{folder}/late_header.jpg", exif=b"Exif\0\0" + bytes(60000))
