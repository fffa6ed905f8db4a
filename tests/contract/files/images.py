# SPDX-License-Identifier: BSD-3-Clause
"""Images of an output, compared cell by cell: read by a reader of its own, by VTK, or as a series by PyVista (exit status 77 without it).

images.py [--reader own|vtk|pyvista] [--mpirun MPIRUN] PROGRAM WORK: PROGRAM is write_images, WORK a folder to be made.
"""
import argparse
import array
import importlib
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

EXTENT = (13, 11, 9)
ELEMENTS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "c64", "c128"]
TYPES = {"i8": "Int8", "u8": "UInt8", "i16": "Int16", "u16": "UInt16", "i32": "Int32", "u32": "UInt32", "i64": "Int64",
         "u64": "UInt64", "f16": "Float32", "bf16": "Float32", "f32": "Float32", "f64": "Float64", "c64": "Float32",
         "c128": "Float64"}
CODES = {"Int8": "b", "UInt8": "B", "Int16": "h", "UInt16": "H", "Int32": "i", "UInt32": "I", "Int64": "q", "UInt64": "Q",
         "Float32": "f", "Float64": "d"}
FIELDS = [(e, e, 1 + i % 3) for i, e in enumerate(ELEMENTS)] + [('faces <"&">', "f64", 1)]
failures = []
passed = 0


def expect(condition, what):
    global passed
    if condition:
        passed += 1
    else:
        failures.append(what)


def values(element, n):
    """What write_images.cpp stores for a number: one value, or two."""
    if element.startswith("u"):
        return [n]
    if element.startswith("i"):
        return [n - 50]
    return [n / 4 - 8, n / 8] if element.startswith("c") else [n / 4 - 8]


def wanted(element, components, step):
    cells = []
    for z in range(EXTENT[2]):
        for y in range(EXTENT[1]):
            for x in range(EXTENT[0]):
                for c in range(components):
                    cells += values(element, (3 * x + 5 * y + 7 * z + 11 * c + 13 * step) % 101)
    return cells


def read_image(path):
    """The attributes of an image and its arrays: name -> (type, components, values)."""
    with open(path, "rb") as file:
        content = file.read()
    mark = b'<AppendedData encoding="raw">\n_'
    begin = content.index(mark) + len(mark)
    end = content.rindex(b"\n  </AppendedData>\n</VTKFile>\n")
    root = ElementTree.fromstring(content[:begin] + b"</AppendedData></VTKFile>")
    byte_order = {"LittleEndian": "little", "BigEndian": "big"}[root.get("byte_order")]
    arrays, used = {}, 0
    for item in root.iter("DataArray"):
        at = begin + int(item.get("offset"))
        size = int.from_bytes(content[at:at + 8], byte_order)
        data = array.array(CODES[item.get("type")], content[at + 8:at + 8 + size])
        if byte_order != sys.byteorder:
            data.byteswap()
        used += 8 + size
        arrays[item.get("Name")] = (item.get("type"), int(item.get("NumberOfComponents")), list(data))
    expect(used == end - begin, f"{path}: {end - begin} bytes of data, {used} in arrays")
    return root, arrays


def read_with_vtk(vtk, path):
    reader = vtk.vtkXMLImageDataReader()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    expect(image.GetDimensions() == tuple(n + 1 for n in EXTENT), f"VTK: {path}: {image.GetDimensions()} points")
    expect(image.GetOrigin() == (-1, 0.5, 2) and image.GetSpacing() == (0.1, 0.25, 1e-3), f"VTK: {path}: origin, spacing")
    return arrays_of(image)


def arrays_of(image):
    """The cell data of an image of VTK or PyVista."""
    arrays = {}
    for i in range(image.GetCellData().GetNumberOfArrays()):
        data = image.GetCellData().GetAbstractArray(i)
        components = data.GetNumberOfComponents()
        cells = [v for t in range(data.GetNumberOfTuples()) for v in data.GetTuple(t)]
        arrays[data.GetName()] = (None, components, cells)
    return arrays


def read_with_pyvista(pyvista, folder, steps):
    """All images of a series, opened by the series."""
    reader = pyvista.get_reader(os.path.join(folder, "heat.pvd"))
    expect(list(reader.time_values) == [s * 0.1 for s in steps], f"PyVista: {folder}: times are {reader.time_values}")
    images = []
    for point in range(len(steps)):
        reader.set_active_time_point(point)
        blocks = reader.read()
        expect(blocks.n_blocks == 1 and blocks[0].dimensions == tuple(n + 1 for n in EXTENT), f"PyVista: {folder}: {blocks}")
        images.append(arrays_of(blocks[0]))
    return images


def check_arrays(path, arrays, step):
    expect(list(arrays) == [name for name, _, _ in FIELDS], f"{path}: arrays are {list(arrays)}")
    for name, element, components in FIELDS:
        kind, found_components, found = arrays.get(name, (None, 0, []))
        parts = 2 if element.startswith("c") else 1
        expect(kind in (None, TYPES[element]) and found_components == components * parts,
               f"{path}: {name} is {found_components} of {kind}")
        cells = wanted(element, components, step)
        wrong = sum(a != b for a, b in zip(found, cells)) + abs(len(found) - len(cells))
        expect(wrong == 0, f"{path}: {name}: {wrong} of {len(cells)} values are wrong")


def check_series(folder, steps):
    root = ElementTree.parse(os.path.join(folder, "heat.pvd")).getroot()
    found = [(float(d.get("timestep")), d.get("file")) for d in root.iter("DataSet")]
    expect(found == [(s * 0.1, f"heat-{s:06}.vti") for s in steps], f"{folder}: the series has {found}")
    names = sorted(["heat.pvd"] + [f"heat-{s:06}.vti" for s in steps])
    expect(sorted(os.listdir(folder)) == names, f"{folder}: {sorted(os.listdir(folder))}")


def run(arguments, folder, launcher, ranks, *more):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    command = ([launcher, "-n", str(ranks)] if launcher else []) + [arguments.program, folder, *map(str, more)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    expect(done.returncode == 0, f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reader", choices=["own", "vtk", "pyvista"], default="own")
    parser.add_argument("--mpirun")
    parser.add_argument("program")
    parser.add_argument("work")
    arguments = parser.parse_args()
    other = None
    if arguments.reader != "own":
        try:
            other = importlib.import_module("vtkmodules.all" if arguments.reader == "vtk" else "pyvista")
        except ImportError as error:
            print(f"skipped: this Python has no {arguments.reader} ({error}); pip install {arguments.reader}")
            return 77
    runs = [(None, 1, 4)] + ([(arguments.mpirun, 2, 3)] if arguments.mpirun else [])
    if not other:
        runs += [(None, 1, 1)] + ([(arguments.mpirun, 1, 1), (arguments.mpirun, 2, 1), (arguments.mpirun, 4, 1)] if arguments.mpirun else [])
    for launcher, ranks, devices in runs:
        folder = os.path.join(arguments.work, f"{'mpi' if launcher else 'alone'}-{ranks}-{devices}")
        run(arguments, folder, launcher, ranks, devices)
        check_series(folder, [0, 120])
        if arguments.reader == "pyvista":
            for step, arrays in zip((0, 120), read_with_pyvista(other, folder, [0, 120])):
                check_arrays(f"PyVista: {folder}: step {step}", arrays, step)
            continue
        for step in (0, 120):
            path = os.path.join(folder, f"heat-{step:06}.vti")
            if other:
                check_arrays(path, read_with_vtk(other, path), step)
                continue
            root, arrays = read_image(path)
            expect(root.get("type") == "ImageData" and root.get("header_type") == "UInt64", f"{path}: {root.attrib}")
            image = root.find("ImageData")
            whole = " ".join(f"0 {n}" for n in EXTENT)
            expect(image.get("WholeExtent") == whole and image.find("Piece").get("Extent") == whole, f"{path}: {whole}")
            expect(image.get("Origin") == "-1 0.5 2" and image.get("Spacing") == "0.1 0.25 0.001", f"{path}: origin, spacing")
            check_arrays(path, arrays, step)
    # A disk that is full for one rank, which writes for others in collective MPI-IO: one error on all, and the first step stays whole.
    if not other:
        for launcher, ranks in [(None, 1)] + ([(arguments.mpirun, 2), (arguments.mpirun, 4)] if arguments.mpirun else []):
            folder = os.path.join(arguments.work, f"full-{ranks}")
            out = run(arguments, folder, launcher, ranks, 1, 0)
            errors = re.findall("^resource: (.*)$", out, re.MULTILINE)
            expect(len(errors) == ranks and len(set(errors)) == 1 and f"{folder}/heat-000120.vti' cannot be written" in errors[0],
                   f"{folder}: {errors}")
            check_series(folder, [0])
            check_arrays(folder, read_image(os.path.join(folder, "heat-000000.vti"))[1], 0)
    for failure in failures:
        print("FAILED:", failure)
    print(f"cases passed: {passed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
