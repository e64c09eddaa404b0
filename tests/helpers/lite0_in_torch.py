"""EfficientNet-Lite0 in PyTorch, from its state dict: the peer of tests/real/test_backbone.py and bench/backbone_speed.py."""
import torch
from torch.nn import functional

# repeats, taps, stride, expansion: table 1 of the EfficientNet paper, without its squeeze-excitation
BLOCKS = [(1, 3, 1, 1), (2, 3, 2, 6), (2, 5, 2, 6), (3, 3, 2, 6), (3, 5, 1, 6), (4, 5, 2, 6), (1, 3, 1, 6)]
STAGES = range(2, 7)  # the blocks whose features are used


def features_of(weights):
    """A function from pictures, count x side x side x 3 in [0, 1], to the features of tools/import_backbone. BatchNorm is folded."""
    state = torch.load(weights, map_location="cpu", weights_only=True)

    def folded(name, norm):
        mean, variance, scale, shift = (state[f"{norm}.{part}"] for part in ("running_mean", "running_var", "weight", "bias"))
        factor = scale / torch.sqrt(variance + 1e-3)
        return state[name + ".weight"] * factor[:, None, None, None], shift - mean * factor

    convolutions = {name[:-len(".weight")]: name for name in state if "conv" in name and name.endswith(".weight")}
    norms = {"_conv_stem": "_bn0", "_expand_conv": "_bn0", "_depthwise_conv": "_bn1", "_project_conv": "_bn2"}
    known = {}
    for name in convolutions:
        prefix, last = name.rpartition(".")[::2]
        if last in norms:
            known[name] = folded(name, f"{prefix}.{norms[last]}" if prefix else norms[last])

    def conv(x, name, stride=1, activate=True):
        kernel, bias = known[name]
        size, taps = x.shape[-1], kernel.shape[-1]
        padding = max((-(-size // stride) - 1) * stride + taps - size, 0)
        x = functional.pad(x, (padding // 2, padding - padding // 2) * 2)
        x = functional.conv2d(x, kernel, bias, stride=stride, groups=x.shape[1] if kernel.shape[1] == 1 else 1)
        return functional.relu6(x) if activate else x

    def features(pictures):
        x = (torch.from_numpy(pictures).permute(0, 3, 1, 2) * 255 - 127) / 128
        x, block, found = conv(x, "_conv_stem", 2), 0, []
        for stage, (repeats, _, stride, expansion) in enumerate(BLOCKS):
            for repeat in range(repeats):
                name, y = f"_blocks.{block}.", x
                if expansion > 1:
                    y = conv(y, name + "_expand_conv")
                y = conv(y, name + "_depthwise_conv", 1 if repeat else stride)
                y = conv(y, name + "_project_conv", activate=False)
                x, block = x + y if repeat else y, block + 1
            if stage in STAGES:
                flat = x.flatten(2)
                found += [flat.mean(2), flat.std(2, unbiased=False), flat.amax(2)]
        return torch.cat(found, 1).numpy()

    return features
