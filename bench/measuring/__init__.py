"""What benchmarks share: data, measurements in processes of their own, tables and charts."""
