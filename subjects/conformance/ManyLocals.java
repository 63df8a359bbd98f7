/** More than 255 local slots: wide loads, stores and iinc; our own locals lie behind them. */
public class ManyLocals {
    static int run(int n) {
        long v0 = n + 0;
        long v1 = n + 1;
        long v2 = n + 2;
        long v3 = n + 3;
        long v4 = n + 4;
        long v5 = n + 5;
        long v6 = n + 6;
        long v7 = n + 7;
        long v8 = n + 8;
        long v9 = n + 9;
        long v10 = n + 10;
        long v11 = n + 11;
        long v12 = n + 12;
        long v13 = n + 13;
        long v14 = n + 14;
        long v15 = n + 15;
        long v16 = n + 16;
        long v17 = n + 17;
        long v18 = n + 18;
        long v19 = n + 19;
        long v20 = n + 20;
        long v21 = n + 21;
        long v22 = n + 22;
        long v23 = n + 23;
        long v24 = n + 24;
        long v25 = n + 25;
        long v26 = n + 26;
        long v27 = n + 27;
        long v28 = n + 28;
        long v29 = n + 29;
        long v30 = n + 30;
        long v31 = n + 31;
        long v32 = n + 32;
        long v33 = n + 33;
        long v34 = n + 34;
        long v35 = n + 35;
        long v36 = n + 36;
        long v37 = n + 37;
        long v38 = n + 38;
        long v39 = n + 39;
        long v40 = n + 40;
        long v41 = n + 41;
        long v42 = n + 42;
        long v43 = n + 43;
        long v44 = n + 44;
        long v45 = n + 45;
        long v46 = n + 46;
        long v47 = n + 47;
        long v48 = n + 48;
        long v49 = n + 49;
        long v50 = n + 50;
        long v51 = n + 51;
        long v52 = n + 52;
        long v53 = n + 53;
        long v54 = n + 54;
        long v55 = n + 55;
        long v56 = n + 56;
        long v57 = n + 57;
        long v58 = n + 58;
        long v59 = n + 59;
        long v60 = n + 60;
        long v61 = n + 61;
        long v62 = n + 62;
        long v63 = n + 63;
        long v64 = n + 64;
        long v65 = n + 65;
        long v66 = n + 66;
        long v67 = n + 67;
        long v68 = n + 68;
        long v69 = n + 69;
        long v70 = n + 70;
        long v71 = n + 71;
        long v72 = n + 72;
        long v73 = n + 73;
        long v74 = n + 74;
        long v75 = n + 75;
        long v76 = n + 76;
        long v77 = n + 77;
        long v78 = n + 78;
        long v79 = n + 79;
        long v80 = n + 80;
        long v81 = n + 81;
        long v82 = n + 82;
        long v83 = n + 83;
        long v84 = n + 84;
        long v85 = n + 85;
        long v86 = n + 86;
        long v87 = n + 87;
        long v88 = n + 88;
        long v89 = n + 89;
        long v90 = n + 90;
        long v91 = n + 91;
        long v92 = n + 92;
        long v93 = n + 93;
        long v94 = n + 94;
        long v95 = n + 95;
        long v96 = n + 96;
        long v97 = n + 97;
        long v98 = n + 98;
        long v99 = n + 99;
        long v100 = n + 100;
        long v101 = n + 101;
        long v102 = n + 102;
        long v103 = n + 103;
        long v104 = n + 104;
        long v105 = n + 105;
        long v106 = n + 106;
        long v107 = n + 107;
        long v108 = n + 108;
        long v109 = n + 109;
        long v110 = n + 110;
        long v111 = n + 111;
        long v112 = n + 112;
        long v113 = n + 113;
        long v114 = n + 114;
        long v115 = n + 115;
        long v116 = n + 116;
        long v117 = n + 117;
        long v118 = n + 118;
        long v119 = n + 119;
        long v120 = n + 120;
        long v121 = n + 121;
        long v122 = n + 122;
        long v123 = n + 123;
        long v124 = n + 124;
        long v125 = n + 125;
        long v126 = n + 126;
        long v127 = n + 127;
        long v128 = n + 128;
        long v129 = n + 129;
        long v130 = n + 130;
        long v131 = n + 131;
        long v132 = n + 132;
        long v133 = n + 133;
        long v134 = n + 134;
        long v135 = n + 135;
        long v136 = n + 136;
        long v137 = n + 137;
        long v138 = n + 138;
        long v139 = n + 139;
        int counter = 0; // count: 3
        for (int i = 0; i < 4; i++) { // count: 3
            counter += 1000; // count: 11
            if (i == n) { // count: 11
                counter += (int) (v139 / (n - 2)); // count: 3
            }
        }
        return counter + (int) (v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12
                + v13 + v14 + v15 + v16 + v17 + v18 + v19 + v20 + v21 + v22 + v23 + v24
                + v25 + v26 + v27 + v28 + v29 + v30 + v31 + v32 + v33 + v34 + v35 + v36
                + v37 + v38 + v39 + v40 + v41 + v42 + v43 + v44 + v45 + v46 + v47 + v48
                + v49 + v50 + v51 + v52 + v53 + v54 + v55 + v56 + v57 + v58 + v59 + v60
                + v61 + v62 + v63 + v64 + v65 + v66 + v67 + v68 + v69 + v70 + v71 + v72
                + v73 + v74 + v75 + v76 + v77 + v78 + v79 + v80 + v81 + v82 + v83 + v84
                + v85 + v86 + v87 + v88 + v89 + v90 + v91 + v92 + v93 + v94 + v95 + v96
                + v97 + v98 + v99 + v100 + v101 + v102 + v103 + v104 + v105 + v106 + v107 + v108
                + v109 + v110 + v111 + v112 + v113 + v114 + v115 + v116 + v117 + v118 + v119 + v120
                + v121 + v122 + v123 + v124 + v125 + v126 + v127 + v128 + v129 + v130 + v131 + v132
                + v133 + v134 + v135 + v136 + v137 + v138 + v139);
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            try {
                sum += run(i); // count: 3
            } catch (ArithmeticException e) {
                sum--; // count: 1
            }
        }
        System.out.println(sum);
    }
}
