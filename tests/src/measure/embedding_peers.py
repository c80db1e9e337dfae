"""The peers of `cargo xtask measure embedding`: onnxruntime with the fused f32 graph, and the same graph quantised by
`quantize_dynamic`. Builds the graph from the model's safetensors file, then answers one line of JSON with another:
{"peer": "fp32" | "int8", "text": "..."} becomes {"cpu_ms": ..., "tokens": ..., "vector": [...]}. Everything runs on
one thread, and cutting the text into word pieces is not counted."""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def build(model_dir, target):
    """Writes the graph that onnxruntime's own transformer optimiser makes of a BERT model: EmbedLayerNormalization,
    Attention, SkipLayerNormalization, BiasGelu."""
    config = json.loads((model_dir / "config.json").read_text())
    tensors = load_file(model_dir / "model.safetensors")
    nodes, weights = [], []
    epsilon = float(config["layer_norm_eps"])

    def weight(name, values):
        weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(kind, inputs, outputs, **attributes):
        nodes.append(helper.make_node(kind, inputs, outputs, domain="com.microsoft", **attributes))

    def norm(name):
        return [weight(f"{name}.{part}", tensors[f"{name}.{part}"]) for part in ("weight", "bias")]

    tables = [
        weight(f"embeddings.{part}", tensors[f"embeddings.{part}_embeddings.weight"])
        for part in ("word", "position", "token_type")
    ]
    node(
        "EmbedLayerNormalization",
        ["ids", "types", *tables, *norm("embeddings.LayerNorm"), "mask"],
        ["hidden0", "mask_index"],
        epsilon=epsilon,
    )
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        hidden = f"hidden{number}"

        def dense(name, source, out):
            values = weight(f"{layer}.{name}.w", tensors[f"{layer}.{name}.weight"].T)
            nodes.append(helper.make_node("MatMul", [source, values], [out]))
            return weight(f"{layer}.{name}.b", tensors[f"{layer}.{name}.bias"])

        parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
        qkv = weight(f"{layer}.qkv.w", np.concatenate([tensors[f"{part}.weight"].T for part in parts], axis=1))
        bias = weight(f"{layer}.qkv.b", np.concatenate([tensors[f"{part}.bias"] for part in parts]))
        node(
            "Attention",
            [hidden, qkv, bias, "mask_index"],
            [f"{layer}.attended"],
            num_heads=config["num_attention_heads"],
        )
        bias = dense("attention.output.dense", f"{layer}.attended", f"{layer}.projected")
        node(
            "SkipLayerNormalization",
            [f"{layer}.projected", hidden, *norm(f"{layer}.attention.output.LayerNorm"), bias],
            [f"{layer}.middle"],
            epsilon=epsilon,
        )
        bias = dense("intermediate.dense", f"{layer}.middle", f"{layer}.up")
        node("BiasGelu", [f"{layer}.up", bias], [f"{layer}.gelu"])
        bias = dense("output.dense", f"{layer}.gelu", f"{layer}.down")
        node(
            "SkipLayerNormalization",
            [f"{layer}.down", f"{layer}.middle", *norm(f"{layer}.output.LayerNorm"), bias],
            [f"hidden{number + 1}"],
            epsilon=epsilon,
        )
    shape = ["texts", "tokens"]
    graph = helper.make_graph(
        nodes,
        "bert",
        [helper.make_tensor_value_info(name, TensorProto.INT32, shape) for name in ("ids", "types", "mask")],
        [
            helper.make_tensor_value_info(
                f"hidden{config['num_hidden_layers']}", TensorProto.FLOAT, [*shape, config["hidden_size"]]
            )
        ],
        weights,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), target)


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    began = time.process_time_ns()
    made = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return made, (time.process_time_ns() - began) / 1e6


def main():
    model_dir, folder = Path(sys.argv[1]), Path(sys.argv[2])
    paths = {"fp32": folder / "fp32.onnx", "int8": folder / "int8.onnx"}
    build(model_dir, paths["fp32"])
    quantize_dynamic(str(paths["fp32"]), str(paths["int8"]), weight_type=QuantType.QInt8, per_channel=True,
        extra_options={"DefaultTensorType": TensorProto.FLOAT})
    tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    sessions, load = {}, {}
    for name, path in paths.items():
        sessions[name], load[name] = session(path)
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    hello = {"version": onnxruntime.__version__, "load_cpu_ms": load, "resident_mib_max": resident}
    print(json.dumps(hello), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        ids = np.array([tokenizer.encode(asked["text"]).ids], dtype=np.int32)
        inputs = {"ids": ids, "types": np.zeros_like(ids), "mask": np.ones_like(ids)}
        began = time.process_time_ns()
        hidden = sessions[asked["peer"]].run(None, inputs)[0][0]
        vector = hidden.mean(axis=0)
        vector /= np.linalg.norm(vector)
        cpu_ms = (time.process_time_ns() - began) / 1e6
        answer = {"cpu_ms": cpu_ms, "tokens": ids.shape[1], "vector": vector.tolist()}
        print(json.dumps(answer), flush=True)


main()
