"""A small valid data folder, and the ways to break it."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "sources.toml": """\
[paper]
title = "A paper"
producer = "A maker"
read_on = "2026-11-30"
licence = "unknown"
""",
    "config_keys.toml": """\
[all]
about = "Every key of the example."
keys = ["num_hidden_layers", "head_dim", "layer_types", "quantization_config", "quantized_layers"]
""",
    "circuits.csv": """\
id,name,name_de,region,volts,phases,amps,connector,connector_de,source,read_on
eu-1ph-16a,16 A single-phase,16 A einphasig,EU,230,1,16,earthed,Schuko,paper,2026-11-30
eu-3ph-16a,3 x 16 A,3 x 16 A,EU,400,3,16,red,rot,paper,2026-11-30
""",
    "cards/good.toml": """\
id = "good"
name = "Good card"
vendor = "A maker"
form_factor = "PCIe"
cooling = "passive"
slots = 2
source = "paper"
read_on = "2026-11-30"
power_modes_w = [{ value = 600, unit = "W", source = "paper" }]
airflow = [{ inlet_c = 25, cfm = 43, source = "paper" }, { inlet_c = 45, cfm = 125, source = "paper" }]
memory_gb = { value = 96, unit = "GB", source = "paper" }
memory_mib = { value = 97887, unit = "MiB", source = "paper" }
power_min_w = { value = 300, unit = "W", source = "paper" }
power_default_w = { value = 500, unit = "W", source = "paper" }
power_max_w = { value = 600, unit = "W", source = "paper" }
pcie = { generation = 5, lanes = 16, source = "paper" }
vgpu = { supported = true, source = "paper" }

[memory_bandwidth_gb_s]
value = 1597
unit = "GB/s"
source = "paper"
others = [{ value = 1792, unit = "GB/s", source = "paper", reason = "Of another card.", reason_de = "Einer anderen." }]

[[mig]]
name = "1g.24gb"
count = 4
memory_gb = 24
source = "paper"

[[mig]]
name = "2g.48gb"
count = 2
memory_gb = 48
source = "paper"
""",
    "checkpoints/org--good.toml": """\
id = "org/good"
name = "Good"
weight_format = "bf16"
config_null = ["head_dim"]
read_on = "2026-11-30"
weight_bytes = { value = 16000000000, unit = "B", source = "paper" }
params_total = { value = 8000000000, unit = "parameters", source = "paper" }
params_active = { value = 8000000000, unit = "parameters", source = "paper" }
config_source = { source = "paper", completeness = "yes" }

[config]
num_hidden_layers = 2
layer_types = ["full_attention", "full_attention"]

[config.quantization_config.quantized_layers]
"model.layers.0.mlp" = { quant_algo = "FP8" }
""",
}


def write(root: Path, changed: dict[str, str] | None = None) -> Path:
    """The folder under ``root``, with some files replaced."""
    for name, text in {**FILES, **(changed or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def change(name: str, old: str, new: str) -> dict[str, str]:
    """One file with one place replaced; the place must be there once."""
    assert FILES[name].count(old) == 1, f"{old!r} stands {FILES[name].count(old)} times in {name}"
    return {name: FILES[name].replace(old, new)}
